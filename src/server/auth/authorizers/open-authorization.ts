import { createHash } from 'node:crypto'
import type { WatchCache } from '../../../apiserver/cache/watch-cache.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import type { Random } from '../../../base/random.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'
import { OptionsError } from '../../options-error.ts'
import { WebhookConfigError } from '../../webhook-callers/kubeconfig.ts'
import type { AuthorizationOptions } from '../auth-options.ts'
import { nodeAuthorizer, nodeOf } from '../node/node-authorizer.ts'
import { createNodeRelations } from '../node/node-relations.ts'
import { rbacAuthorizer } from '../rbac/rbac-authorizer.ts'
import { createRbacPolicy, type RbacPolicy } from '../rbac/rbac-policy.ts'
import { rbacRules } from '../rbac/rbac-rules.ts'
import { abacAuthorizer, abacRules } from './abac/abac-authorizer.ts'
import { AuthorizationCounts } from './authorization-counts.ts'
import { type AuthorizationConfiguration, AuthorizationConfigurationError, type AuthorizerType } from './configuration/configuration.ts'
import { loadAuthorization } from './configuration/load.ts'
import { type Chain, createChain, type OwnVoices, type Voice } from './create-chain.ts'
import { NO_RULES, type RuleResolver } from './rule-resolver.ts'

export interface AuthorizationDeps {
  readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** The rules that the Node authorizer grants to every node: those of the role `system:node`. */
  readonly nodeRules: readonly PolicyRule[]
}

/** The chain of authorizers of the current configuration. */
export interface Authorization extends Voice, AsyncDisposable {
  /** The RBAC policy, also if RBAC is not in the chain. */
  readonly policy: RbacPolicy
  readonly counts: AuthorizationCounts
}

/**
 * Creates the chain of authorizers, and follows its file: a new configuration replaces the old one at once; an invalid one is logged, and
 * the old one stays.
 * @throws {OptionsError} with kube-apiserver's message
 */
export async function openAuthorization(options: AuthorizationOptions, deps: AuthorizationDeps): Promise<Authorization> {
  const { clock, random, log } = deps
  const policy = createRbacPolicy(deps.watchCache)
  const counts = new AuthorizationCounts(`sha256:${createHash('sha256').update(random.uuid()).digest('hex')}`)
  const types = new Set(options.authorizers.map((a) => a.type))
  const chainDeps = { clock, random, counts, own: ownVoices(types, policy, options, deps) }
  let chain = await firstChain(options.authorizers, chainDeps)
  let loading = Promise.resolve()
  const needed = new Set([...types].filter((type): type is Exclude<AuthorizerType, 'Webhook'> => type !== 'Webhook'))
  const reload = async (text: string): Promise<void> => {
    try {
      const next = await createChain(loadAuthorization(text, needed), chainDeps)
      chain[Symbol.dispose]()
      chain = next
      counts.reloaded('success', clock.now())
    } catch (error) {
      if (!isConfigurationFault(error)) throw error
      counts.reloaded('failure', clock.now())
      log.warn('the new authorization configuration cannot be used, the old one stays', { error: error.message })
    }
  }
  const watched = options.reload?.watch((text) => {
    loading = loading
      .then(() => reload(text))
      .catch((error: unknown) => log.error('the authorization configuration was not read', { error }))
  })
  return {
    authorizer: { authorize: (attributes) => chain.authorizer.authorize(attributes) },
    rules: (user, namespace) => chain.rules(user, namespace),
    policy,
    counts,
    async [Symbol.asyncDispose]() {
      watched?.[Symbol.dispose]()
      await loading
      chain[Symbol.dispose]()
    },
  }
}

const isConfigurationFault = (error: unknown): error is WebhookConfigError | AuthorizationConfigurationError =>
  error instanceof WebhookConfigError || error instanceof AuthorizationConfigurationError

async function firstChain(configuration: AuthorizationConfiguration, deps: Parameters<typeof createChain>[1]): Promise<Chain> {
  try {
    return await createChain(configuration, deps)
  } catch (error) {
    if (!isConfigurationFault(error)) throw error
    throw new OptionsError('bad-file', `invalid authorization config: ${error.message}`, { cause: error })
  }
}

function ownVoices(
  types: ReadonlySet<AuthorizerType>,
  policy: RbacPolicy,
  { policies }: AuthorizationOptions,
  { watchCache, nodeRules }: AuthorizationDeps,
): OwnVoices {
  const node = (): Voice => ({
    authorizer: nodeAuthorizer(createNodeRelations(watchCache), watchCache.reader, nodeRules),
    rules: nodeAgentRules,
  })
  return {
    ...(types.has('Node') ? { Node: node() } : {}),
    ...(types.has('RBAC') ? { RBAC: { authorizer: rbacAuthorizer(policy), rules: rbacRules(policy) } } : {}),
    ...(types.has('ABAC') ? { ABAC: { authorizer: abacAuthorizer(policies), rules: abacRules(policies) } } : {}),
  }
}

/** The rights of a node agent depend on the pods of its node and cannot be listed. */
const nodeAgentRules: RuleResolver = (user) =>
  nodeOf(user) === undefined
    ? NO_RULES
    : { ...NO_RULES, incomplete: true, errors: ['node authorizer does not support user rule resolution'] }
