import type { ResourceRegistry } from '../cache/resource-registry.ts'
import type { DelegateServers } from '../delegate-server.ts'
import { listedGroups } from './groups.ts'
import { type HealthChecks, healthPaths } from './health.ts'

const FIXED = [
  '/.well-known/openid-configuration',
  '/api',
  '/api/v1',
  '/apis',
  '/apis/',
  '/flagz',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/openid/v1/jwks',
  '/statusz',
  '/version',
]

/** `GET /`: the list of paths. */
export function indexPaths(definitions: ResourceRegistry, checks: HealthChecks, delegates?: DelegateServers) {
  const groups = listedGroups(definitions, delegates).flatMap((g) => [`/apis/${g.name}`, ...g.versions.map((v) => `/apis/${g.name}/${v}`)])
  return { paths: [...FIXED, ...healthPaths(checks), ...groups].sort() }
}
