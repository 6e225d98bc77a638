import type { Authorizer } from '../../../apiserver/identity/authorizer.ts'
import { mastersAuthorizer, unionAuthorizer } from '../../../apiserver/identity/union-authorizer.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Random } from '../../../base/random.ts'
import { callWithRetries } from '../../webhook-callers/call-with-retries.ts'
import { readWebhookKubeconfig } from '../../webhook-callers/kubeconfig.ts'
import { WEBHOOK_RETRIES } from '../../webhook-callers/retries.ts'
import { createWebhookCaller } from '../../webhook-callers/webhook-caller.ts'
import { alwaysAllow, alwaysDeny, everythingAllowed, nothingAllowed } from './always.ts'
import type { AuthorizationCounts } from './authorization-counts.ts'
import {
  type AuthorizationConfiguration,
  AuthorizationConfigurationError,
  type AuthorizerConfiguration,
  type AuthorizerType,
} from './configuration/configuration.ts'
import { type RuleResolver, unionOfRules } from './rule-resolver.ts'
import { webhookAuthorizer, webhookRules } from './webhook/webhook-authorizer.ts'

/** One authorizer, and its rules if it can list them. */
export interface Voice {
  readonly authorizer: Authorizer
  readonly rules: RuleResolver
}

/** Authorizers of this server that exist independently of the configuration. */
export type OwnVoices = Readonly<Partial<Record<AuthorizerType, Voice>>>

export interface ChainDeps {
  readonly clock: Clock
  readonly random: Random
  readonly counts: AuthorizationCounts
  readonly own: OwnVoices
}

/** A chain of authorizers; disposing it closes its connections. */
export interface Chain extends Voice, Disposable {}

/**
 * Creates the authorizers of a configuration, system:masters before all of them. @throws {WebhookConfigError |
 * AuthorizationConfigurationError}
 */
export async function createChain(configuration: AuthorizationConfiguration, deps: ChainDeps): Promise<Chain> {
  // DisposableStack is not available in all supported versions of Node.
  const held: Disposable[] = []
  const release = () => {
    for (const one of held.splice(0).reverse()) one[Symbol.dispose]()
  }
  try {
    const voices: Voice[] = []
    for (const one of configuration) {
      const voice = await voiceOf(one, deps, held)
      voices.push({ ...voice, authorizer: counted(voice.authorizer, one, deps.counts) })
    }
    return {
      authorizer: unionAuthorizer([mastersAuthorizer, ...voices.map((v) => v.authorizer)]),
      rules: unionOfRules(voices.map((v) => v.rules)),
      [Symbol.dispose]: release,
    }
  } catch (error) {
    release()
    throw error
  }
}

async function voiceOf(one: AuthorizerConfiguration, deps: ChainDeps, held: Disposable[]): Promise<Voice> {
  if (one.type === 'AlwaysAllow') return { authorizer: alwaysAllow, rules: everythingAllowed }
  if (one.type === 'AlwaysDeny') return { authorizer: alwaysDeny, rules: nothingAllowed }
  if (one.type === 'Webhook') return { authorizer: await openWebhook(one, deps, held), rules: webhookRules }
  const own = deps.own[one.type]
  if (own !== undefined) return own
  throw new AuthorizationConfigurationError(`authorizer type ${one.type} is not allowed if it was not enabled at initial server startup`)
}

async function openWebhook({ name, webhook }: AuthorizerConfiguration & { type: 'Webhook' }, deps: ChainDeps, held: Disposable[]) {
  const { clock, random, counts } = deps
  if (webhook.kubeConfigFile === undefined)
    throw new AuthorizationConfigurationError(
      `authorizer ${name}: this server runs in no cluster, so that InClusterConfig names no webhook; use KubeConfigFile`,
    )
  const caller = createWebhookCaller(await readWebhookKubeconfig(webhook.kubeConfigFile), { clock })
  held.push(caller)
  return webhookAuthorizer(webhook, {
    clock,
    ask: (body, timeoutMs) => callWithRetries(caller, body, { clock, random, retries: WEBHOOK_RETRIES }, { timeoutMs }),
    notes: {
      condition: (kind) => counts.condition(name, kind),
      requested: (call) => counts.requested(name, call),
    },
  })
}

/** Counts the authorizer's decisions. */
function counted({ authorize }: Authorizer, by: { readonly type: string; readonly name: string }, counts: AuthorizationCounts): Authorizer {
  const decided = counts.decisionsOf(by)
  const count = (verdict: string) => {
    if (verdict !== 'no-opinion') decided(verdict === 'allow' ? 'allowed' : 'denied')
  }
  return {
    authorize(attributes) {
      const decision = authorize(attributes)
      if (!(decision instanceof Promise)) {
        count(decision.verdict)
        return decision
      }
      return decision.then((d) => {
        count(d.verdict)
        return d
      })
    },
  }
}
