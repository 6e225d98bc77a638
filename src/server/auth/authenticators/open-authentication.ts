import { createHash } from 'node:crypto'
import type { WatchCache } from '../../../apiserver/cache/watch-cache.ts'
import type { Authenticator, TokenAuthenticator } from '../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../base/clock.ts'
import { HeldResources } from '../../../base/collections/held-resources.ts'
import type { Family } from '../../../base/exposition.ts'
import type { Logger } from '../../../base/logger.ts'
import type { Random } from '../../../base/random.ts'
import type { Transport } from '../../../machinery/api-call.ts'
import { OptionsError } from '../../options-error.ts'
import type { AuthenticationOptions, FrontProxyOptions, ServiceAccountOptions } from '../auth-options.ts'
import { createAuthenticator, type TokenUnion } from '../create-authenticator.ts'
import { AuthenticationCounts } from './authentication-counts.ts'
import { bootstrapTokenAuthenticator } from './bootstrap-tokens.ts'
import { clientCertificateAuthenticator } from './client-certificate.ts'
import { frontProxyAuthenticator } from './front-proxy.ts'
import { legacyAccountTokenAuthenticator } from './legacy-account-tokens.ts'
import { noteTokenUse, secretTokenUse } from './secret-token-use.ts'
import { serviceAccountTokenAuthenticator } from './service-account-tokens.ts'
import { staticTokenAuthenticator } from './static-tokens.ts'

/** The part of `ServerOptions` that authentication uses. */
export interface AuthenticationConfig {
  readonly authentication: AuthenticationOptions
  readonly serviceAccounts: ServiceAccountOptions
  readonly aggregation: { readonly frontProxy: FrontProxyOptions | undefined }
}

export interface AuthenticationDeps {
  readonly watchCache: Pick<WatchCache, 'reader'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** The server's own transport: records the use of tokens in secrets. Default: not recorded. */
  readonly transport?: () => Transport
}

/** All authenticators of the current configuration. */
export interface Authentication extends AsyncDisposable {
  readonly authenticator: Authenticator
  readonly tokens: TokenUnion
  /** The server's audiences. */
  readonly own: readonly string[]
  metrics(): Family[]
}

/**
 * Creates all authenticators: front proxies, client certificates, and tokens in kube-apiserver's order: static, service accounts,
 * bootstrap, issuers, webhook.
 * @throws {OptionsError} with kube-apiserver's message
 */
export async function openAuthentication(config: AuthenticationConfig, deps: AuthenticationDeps): Promise<Authentication> {
  const { authentication, serviceAccounts, aggregation } = config
  const { clock, random } = deps
  const { reader } = deps.watchCache
  await using held = new HeldResources()
  const own = authentication.apiAudiences.length > 0 ? authentication.apiAudiences : serviceAccounts.issuers
  const counts = new AuthenticationCounts(`sha256:${createHash('sha256').update(random.uuid()).digest('hex')}`)
  const use = deps.transport && secretTokenUse({ clock, note: noteTokenUse(deps.transport, deps.log) })
  const tokens: TokenAuthenticator[] = [
    ...(authentication.tokens === undefined ? [] : [staticTokenAuthenticator(authentication.tokens, own)]),
    legacyAccountTokenAuthenticator(serviceAccounts, own, { reader, use }),
    serviceAccountTokenAuthenticator(serviceAccounts, { clock, reader, use }),
    ...(authentication.bootstrapTokens ? [bootstrapTokenAuthenticator(own, { clock, reader })] : []),
    ...(await openIssuers(config, own, { ...deps, counts, held })),
    ...(await openWebhook(authentication.webhook, own, { ...deps, counts, held })),
  ]
  const { anonymous } = authentication
  const authenticator = createAuthenticator(
    {
      requests: [
        ...(aggregation.frontProxy === undefined ? [] : [frontProxyAuthenticator(aggregation.frontProxy)]),
        clientCertificateAuthenticator(
          { ids: authentication.certificateIds },
          { noted: ({ validTo }) => counts.certificate(validTo, clock.now()) },
        ),
      ],
      tokens,
      audiences: own,
      anonymous: { enabled: anonymous.enabled, paths: new Set(anonymous.conditions.map(({ path }) => path)) },
    },
    { clock, counts },
  )
  const all = held.move()
  return {
    authenticator,
    tokens: authenticator.tokens,
    own,
    metrics: () => counts.families(),
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

interface Opening extends AuthenticationDeps {
  readonly counts: AuthenticationCounts
  readonly held: HeldResources
}

/** The issuers of structured authentication. The code is loaded only if there is a configuration. */
async function openIssuers(
  { authentication, serviceAccounts }: AuthenticationConfig,
  own: readonly string[],
  { clock, log, counts, held }: Opening,
): Promise<TokenAuthenticator[]> {
  if (authentication.jwt === undefined) return []
  const { openJwtIssuers } = await import('./jwt/jwt-issuers.ts')
  const { AuthenticationConfigurationError } = await import('../configuration/load-configuration.ts')
  try {
    const init = { ...authentication.jwt, own, ownIssuers: serviceAccounts.issuers }
    return [held.use(openJwtIssuers(init, { clock, log, reloaded: (status) => counts.reloaded(status, clock.now()) }))]
  } catch (error) {
    throw error instanceof AuthenticationConfigurationError ? new OptionsError('bad-file', error.message, { cause: error }) : error
  }
}

async function openWebhook(
  webhook: AuthenticationOptions['webhook'],
  own: readonly string[],
  { clock, random, held }: Opening,
): Promise<TokenAuthenticator[]> {
  if (webhook === undefined) return []
  const { WebhookConfigError, readWebhookKubeconfig } = await import('../../webhook-callers/kubeconfig.ts')
  const { createWebhookCaller } = await import('../../webhook-callers/webhook-caller.ts')
  const { webhookTokenAuthenticator } = await import('./webhook-tokens.ts')
  const { cachedTokens } = await import('./cached-tokens.ts')
  try {
    const caller = createWebhookCaller(await readWebhookKubeconfig(webhook.kubeConfigFile), { clock })
    held.defer(() => caller[Symbol.dispose]())
    const asking = webhookTokenAuthenticator({ version: webhook.version, own }, { caller, clock, random })
    return [cachedTokens(asking, { successMs: webhook.cacheTtlMs, failureMs: webhook.cacheTtlMs }, { clock })]
  } catch (error) {
    throw error instanceof WebhookConfigError ? new OptionsError('bad-file', error.message, { cause: error }) : error
  }
}
