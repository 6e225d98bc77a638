import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { DelegateServer, DelegateServers } from '../../apiserver/delegate-server.ts'
import type { ServiceResolver } from '../../apiserver/service-target.ts'
import type { ResourceStore } from '../../apiserver/store/resource-store.ts'
import type { Clock } from '../../base/clock.ts'
import { HeldResources } from '../../base/collections/held-resources.ts'
import { type Family, labels } from '../../base/exposition.ts'
import type { Logger } from '../../base/logger.ts'
import type { Transport } from '../../machinery/api-call.ts'
import type { AggregationOptions } from '../options/aggregation.ts'
import { API_SERVICES, type ApiService, isAvailable, nameOf } from './api-service.ts'
import { ApiServiceTable } from './api-service-table.ts'
import { AvailabilityController } from './availability.ts'
import { DelegateDocuments } from './delegate-documents.ts'
import { type DelegationConfig, DelegationConfigMap } from './delegation-config-map.ts'
import { identityNames } from './forward-headers.ts'
import { LocalApiServices } from './local-api-services.ts'

export interface AggregationConfig {
  /** `--aggregator-reject-forwarding-redirect`. */
  readonly rejectRedirects: boolean
  readonly delegation: DelegationConfig
}

export interface AggregationDeps {
  readonly watchCache: WatchCache
  readonly definitions: ResourceRegistry
  readonly resolver: ServiceResolver
  /** Servers of this process, by `NAMESPACE/NAME` of their service. */
  readonly local: ReadonlyMap<string, unknown>
  /** This server's client certificate as a front proxy; loaded when the first delegate appears. */
  readonly proxyClient: AggregationOptions['proxyClient']
  readonly store: () => ResourceStore
  /** A transport to this server, as itself. */
  readonly transport: () => Transport
  readonly clock: Clock
  readonly socketClock: Clock
  readonly log: Logger
}

/** API aggregation: other servers behind this one's address. */
export interface Aggregation extends DelegateServers, AsyncDisposable {
  /** Called when the bootstrap objects exist: from then on it writes. */
  start(): Promise<void>
  metrics(): Family[]
}

export function createAggregation(config: AggregationConfig, deps: AggregationDeps): Aggregation {
  const held = new HeldResources()
  const { watchCache, definitions, clock, log } = deps
  const table = new ApiServiceTable(definitions, {
    ...deps,
    rejectRedirects: config.rejectRedirects,
    isIdentity: identityNames(config.delegation.frontProxy),
  })
  held.defer(() => table[Symbol.dispose]())
  const documents = held.use(new DelegateDocuments({ table, clock, log }))
  const availability = held.use(new AvailabilityController({ ...deps, table }))
  const local = held.use(new LocalApiServices(deps))
  const delegation = held.use(new DelegationConfigMap(config.delegation, deps))
  let started = false

  const changed = (name: string, object: ApiService | undefined) => {
    const before = table.get(name)
    const wasAvailable = before?.delegate?.available
    const entry = table.put(name, object)
    if (entry === undefined) availability.forget(name)
    // A change of the status only was written by this server, or by another one of the cluster.
    else if (
      started &&
      (before === undefined || before.delegate !== entry.delegate || (entry.delegate === undefined && !isAvailable(entry.object)))
    )
      availability.check(name)
    if (
      entry?.delegate !== undefined
        ? before?.delegate !== entry.delegate || wasAvailable !== entry.delegate.available
        : before?.delegate !== undefined
    )
      documents.touch(name)
  }
  held.defer(
    watchCache.onChange(API_SERVICES.group, API_SERVICES.resource, (object, old) =>
      changed((object ?? old)?.metadata.name ?? '', object as ApiService | undefined),
    ),
  )
  for (const object of watchCache.reader.list(API_SERVICES.group, API_SERVICES.resource))
    changed(object.metadata.name ?? '', object as ApiService)

  const openapiPath = '/openapi/v3/'
  return {
    of(path): DelegateServer | undefined {
      if (path.startsWith(openapiPath)) return documents.documentOf(path.slice(openapiPath.length))
      return table.delegateOf(path)
    },
    get generation() {
      return table.changes + documents.generation
    },
    groups: () => table.groups(),
    discovery(group, version) {
      const name = nameOf(group, version)
      return table.get(name)?.delegate === undefined ? undefined : (documents.discovery(name) ?? { freshness: 'Stale' })
    },
    openapiV3: () => documents.index(),
    openapiV2: () => documents.documents(),
    async start() {
      started = true
      local.start()
      for (const { name, delegate, object } of table.entries()) if (delegate !== undefined || !isAvailable(object)) availability.check(name)
      await delegation.start()
    },
    metrics: () => [
      {
        name: 'aggregator_unavailable_apiservice',
        type: 'gauge',
        help: 'APIServices that cannot be reached.',
        samples: [...table.entries()].map(({ name, object }) => [labels({ name }), isAvailable(object) ? 0 : 1]),
      },
      {
        name: 'aggregator_unavailable_apiservice_total',
        type: 'counter',
        help: 'How often an APIService became unavailable, by reason.',
        samples: [...availability.lost.values()].map(({ name, reason, count }) => [labels({ name, reason }), count]),
      },
    ],
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  }
}
