import { type Authentication, openAuthentication } from '../../server/auth/authenticators/open-authentication.ts'
import { type Authorization, openAuthorization } from '../../server/auth/authorizers/open-authorization.ts'
import { type Auth, createAuth } from '../../server/auth/create-auth.ts'
import { nodeRules } from '../../server/bootstrap/cluster-roles.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import type { Caches } from './open-caches.ts'
import type { Observation } from './open-observation.ts'
import type { OwnCalls } from './own-calls.ts'
import type { PhaseDeps } from './server-part-deps.ts'

/** Authentication, authorization, and the resources that expose them (reviews, token requests). */
export interface Identity {
  readonly authentication: Authentication
  readonly authorization: Authorization
  readonly auth: Auth
}

export async function openIdentity(
  options: ServerOptions,
  { watchCache, metrics, own }: Caches & Observation & { readonly own: OwnCalls },
  { held, clock, random, log }: PhaseDeps,
): Promise<Identity> {
  const deps = { watchCache, clock, random, log }
  const authorization = held.use(
    await openAuthorization(options.authorization, { ...deps, nodeRules: nodeRules(options.features.gatedKinds) }),
  )
  metrics.add(() => authorization.counts.families())
  const authentication = held.use(await openAuthentication(options, { ...deps, transport: own.transport }))
  metrics.add(() => authentication.metrics())
  return { authentication, authorization, auth: createAuth(options, { authentication, authorization }) }
}
