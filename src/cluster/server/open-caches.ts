import { JoinedWatchCache, type OwnWatchCache } from '../../apiserver/cache/joined-watch-cache.ts'
import { createResourceRegistry, type ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { SharedCaches } from '../../apiserver/cache/shared-caches.ts'
import { openWatchCache, type WatchCache } from '../../apiserver/cache/watch-cache.ts'
import { controllerReports } from '../../resources/bowsprit/controllerreports.ts'
import { nodeReports } from '../../resources/bowsprit/nodereports.ts'
import { objectConversions } from '../../resources/bowsprit/objectconversions.ts'
import { queueReports } from '../../resources/bowsprit/queuereports.ts'
import { RECORDED_REPORTS } from '../../resources/bowsprit/recorded-reports.ts'
import { schedulingReports } from '../../resources/bowsprit/schedulingreports.ts'
import { topologyReports } from '../../resources/bowsprit/topologyreports.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { thirdPartyResources } from '../../resources/extensions/thirdpartyresources.ts'
import { withOlderVersions } from '../../resources/older-versions/older-versions.ts'
import { EtcdMetrics } from '../../server/etcd-layout/etcd-metrics.ts'
import { withSwitches } from '../../server/options/runtime-config.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { type EtcdOptions, sharedEtcd } from '../../server/options/storage.ts'
import { followSize } from '../../storage/etcd/follow-size.ts'
import { MeasuredStore, type StoreRequest } from '../../storage/measured-store.ts'
import type { Store } from '../../storage/store.ts'
import { etcdMembers } from './etcd-members.ts'
import { openStore } from './open-store.ts'
import { placeOverrides } from './place-overrides.ts'
import type { PhaseDeps } from './server-part-deps.ts'
import { withTimeToLive } from './time-to-live.ts'

/** The data: the store, the resources that are served from the start, and the cache over both. */
export interface Caches {
  readonly store: Store
  /** Stores that some resources have to themselves. */
  readonly ownStores: readonly OwnStore[]
  readonly definitions: ResourceRegistry
  readonly watchCache: WatchCache
  /** Of stores in etcd. */
  readonly etcdMetrics?: EtcdMetrics
}

export interface OwnStore extends OwnWatchCache {
  readonly store: Store
}

export async function openCaches({ storage, features }: ServerOptions, deps: PhaseDeps): Promise<Caches> {
  const { clock, log, held, shared, encryption } = deps
  if (encryption !== undefined) held.use(encryption.live)
  const opened = held.use(await deps.opening)
  const definitions = createResourceRegistry([
    ...builtinResources().map((definition) =>
      withSwitches(withOlderVersions(withTimeToLive(definition, storage.eventTtlMs), features.age), features.runtimeConfig),
    ),
    ...features.gatedKinds.map(({ definition }) => definition),
    ...(features.thirdPartyResources ? [thirdPartyResources] : []),
    ...(deps.trails === true ? [...RECORDED_REPORTS, controllerReports, objectConversions] : []),
    ...(deps.parts.has('scheduler') ? [schedulingReports, ...(deps.trails === true ? [queueReports] : [])] : []),
    ...(deps.topologyReports ? [topologyReports, nodeReports] : []),
  ])
  const etcdMetrics = sharedEtcd(storage) && new EtcdMetrics()
  const rest = { definitions, etcdMetrics, deps }
  const main = await openCache({ opened, storage, cluster: 0, shared }, rest)
  const ownStores: OwnStore[] = []
  for (const { servers, resources } of placeOverrides(storage.etcdOverrides ?? [], definitions.all())) {
    const there = { ...storage, ...(storage.etcd && { etcd: { ...storage.etcd, servers } }) }
    const own = held.use(await openStore(there, clock, log, encryption))
    ownStores.push({
      resources,
      ...(await openCache({ opened: own, storage: there, cluster: ownStores.length + 1, shared: undefined }, rest)),
    })
  }
  const watchCache = ownStores.length === 0 ? main.watchCache : new JoinedWatchCache(main.watchCache, ownStores)
  return { store: main.store, ownStores, definitions, watchCache, ...(etcdMetrics && { etcdMetrics }) }
}

/** The store of a built-in resource. */
export const storeOf = ({ store, ownStores }: Pick<Caches, 'store' | 'ownStores'>, group: string, resource: string): Store =>
  ownStores.find(({ resources }) => resources.has(`${group}/${resource}`))?.store ?? store

interface OpenedStore {
  readonly opened: Store
  readonly storage: ServerOptions['storage']
  /** The number of its etcd, in metrics. */
  readonly cluster: number
  readonly shared: SharedCaches | undefined
}

interface CacheDeps {
  readonly definitions: ResourceRegistry
  readonly etcdMetrics: EtcdMetrics | undefined
  readonly deps: PhaseDeps
}

/** The cache over a store. */
async function openCache({ opened, storage, cluster, shared }: OpenedStore, { definitions, etcdMetrics, deps }: CacheDeps) {
  const { clock, log, freeze, held } = deps
  const etcd = sharedEtcd(storage)
  const store = etcd === undefined || etcdMetrics === undefined ? opened : measured(opened, { etcd, cluster, etcdMetrics, deps })
  // A real etcd has limits of its own.
  const bounds = etcd && { maxObjectBytes: Number.POSITIVE_INFINITY, healthTimeoutMs: etcd.healthTimeoutMs }
  const watchCache = held.use(await openWatchCache({ store, definitions, clock, log, freeze, ...bounds, ...(shared && { shared }) }))
  return { store, watchCache }
}

interface Measuring {
  readonly etcd: EtcdOptions
  readonly cluster: number
  readonly etcdMetrics: EtcdMetrics
  readonly deps: PhaseDeps
}

/** Requests to an etcd are counted, and its size is followed. */
function measured(store: Store, { etcd, cluster, etcdMetrics, deps: { clock, held } }: Measuring): Store {
  const { sizeIntervalMs: intervalMs } = etcd
  if (intervalMs !== undefined) {
    const stop = new AbortController()
    const report = (sizeBytes: number | undefined) => etcdMetrics.sized(cluster, sizeBytes)
    const following = followSize({ ...etcdMembers(etcd), intervalMs }, { clock, report }, stop.signal)
    held.defer(() => {
      stop.abort()
      return following
    })
  }
  const requested = (request: StoreRequest) => etcdMetrics.requested(request)
  return new MeasuredStore(store, { clock, requested, received: (key) => etcdMetrics.received(key) })
}
