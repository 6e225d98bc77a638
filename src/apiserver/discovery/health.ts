import type { Family } from '../../base/exposition.ts'
import { labels } from '../../base/exposition.ts'
import type { HealthCheck, PlainResponse } from '../request/plain-paths.ts'
import type { Query } from '../request/query.ts'

/** The post-start hooks of kube-apiserver: each has a path of its own below the health checks. `isFair`: with priority and fairness. */
const hooks = (isFair: boolean) =>
  [
    'start-apiserver-admission-initializer',
    'generic-apiserver-start-informers',
    ...(isFair ? ['priority-and-fairness-config-consumer', 'priority-and-fairness-filter'] : ['max-in-flight-filter']),
    'storage-object-count-tracker-hook',
    'start-apiextensions-informers',
    'start-apiextensions-controllers',
    'crd-informer-synced',
    'start-system-namespaces-controller',
    'peer-endpoint-reconciler-controller',
    'start-cluster-authentication-info-controller',
    'start-kube-apiserver-identity-lease-controller',
    'start-kube-apiserver-identity-lease-garbage-collector',
    'storage-readiness',
    'start-legacy-token-tracking-controller',
    'start-service-ip-repair-controllers',
    'rbac/bootstrap-roles',
    'scheduling/bootstrap-system-priority-classes',
    'priority-and-fairness-config-producer',
    'bootstrap-controller',
    'start-kubernetes-service-cidr-controller',
    'aggregator-reload-proxy-client-cert',
    'start-kube-aggregator-informers',
    'apiservice-status-local-available-controller',
    'apiservice-status-remote-available-controller',
    'apiservice-registration-controller',
    'apiservice-discovery-controller',
    'kube-apiserver-autoregistration',
    'autoregister-completion',
    'apiservice-openapi-controller',
    'apiservice-openapiv3-controller',
  ].map((name) => (name === 'autoregister-completion' ? name : `poststarthook/${name}`))

export type HealthChecks = Readonly<Record<HealthEndpoint, readonly string[]>>

/** The names of the checks by endpoint. */
export const healthChecks = (isFair: boolean): HealthChecks => ({
  healthz: ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...hooks(isFair)],
  livez: ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...hooks(isFair)],
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...hooks(isFair), 'shutdown'],
})

/** The last check of the store, at each endpoint: checks of this server alone follow it. */
const LAST_OF_ETCD: Readonly<Record<HealthEndpoint, string>> = { healthz: 'etcd', livez: 'etcd', readyz: 'etcd-readiness' }
type HealthEndpoint = HealthCheck['endpoints'][number]

const isEndpoint = (text: string): text is HealthEndpoint => Object.hasOwn(LAST_OF_ETCD, text)

function checksOf(endpoint: HealthEndpoint, { checks, more }: Pick<HealthInit, 'checks' | 'more'>): readonly NamedCheck[] {
  const own = more.filter(({ endpoints }) => endpoints.includes(endpoint))
  return checks[endpoint].flatMap((name): NamedCheck[] => (name === LAST_OF_ETCD[endpoint] ? [{ name }, ...own] : [{ name }]))
}

type NamedCheck = Pick<HealthCheck, 'name' | 'group'>

/** Failing checks and their reasons. */
export type Ailments = ReadonlyMap<string, string>

const TEXT = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

interface HealthInit {
  readonly look: () => Promise<Ailments>
  readonly checks: HealthChecks
  /** Checks of this server alone. */
  readonly more: readonly HealthCheck[]
}

/** `/healthz`, `/livez`, `/readyz` and their single checks; undefined for other paths. */
export function health(path: string, query: Query, init: HealthInit): Promise<PlainResponse> | undefined {
  const [, endpoint = '', ...rest] = path.split('/')
  if (!isEndpoint(endpoint)) return undefined
  const checks = checksOf(endpoint, init)
  if (rest.length === 0) return init.look().then((ailments) => summary(endpoint, checks, query, ailments))
  const check = rest.join('/')
  return checks.some(({ name }) => name === check) ? init.look().then((ailments) => single(ailments.get(check))) : undefined
}

const single = (why: string | undefined): PlainResponse =>
  why === undefined ? { code: 200, headers: TEXT, body: 'ok' } : { code: 500, headers: TEXT, body: `internal server error: ${why}\n` }

function summary(endpoint: string, checks: readonly NamedCheck[], query: Query, ailments: Ailments): PlainResponse {
  const excluded = query.all('exclude')
  const lines: string[] = []
  let failed = false
  for (const { name, group } of checks) {
    if (excluded.includes(name)) lines.push(`[+]${name} excluded: ok`)
    else if (group !== undefined && excluded.includes(group)) lines.push(`[+]${name} excluded with ${group}: ok`)
    else if (!ailments.has(name)) lines.push(`[+]${name} ok`)
    else {
      failed = true
      lines.push(`[-]${name} failed: reason withheld`)
    }
  }
  const unknown = excluded.filter((text) => !checks.some(({ name, group }) => name === text || group === text))
  if (unknown.length > 0) {
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.map((n) => JSON.stringify(n)).join(', ')}`)
  }
  if (failed) return { code: 500, headers: TEXT, body: `${lines.join('\n')}\n${endpoint} check failed\n` }
  const body = query.get('verbose') === undefined ? 'ok' : `${lines.join('\n')}\n${endpoint} check passed\n`
  return { code: 200, headers: TEXT, body }
}

/** All paths of health checks, for the list at `/`. */
export const healthPaths = (checks: HealthChecks): readonly string[] =>
  Object.entries(checks).flatMap(([endpoint, names]) => [`/${endpoint}`, ...names.map((name) => `/${endpoint}/${name}`)])

/** The checks as a metric: 1 for one that passes. */
export const healthFamily = (all: HealthChecks, ailments: Ailments): Family => ({
  name: 'kubernetes_healthcheck',
  type: 'gauge',
  help: 'Whether a check of the server succeeds.',
  samples: Object.entries(all).flatMap(([type, checks]) =>
    checks.map((name): readonly [string, number] => [labels({ name, type }), ailments.has(name) ? 0 : 1]),
  ),
})
