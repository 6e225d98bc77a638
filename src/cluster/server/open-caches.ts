import { createResourceRegistry, type ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
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
import type { ServerOptions } from '../../server/options/server-options.ts'
import { followSize } from '../../storage/etcd/follow-size.ts'
import { MeasuredStore, type StoreRequest } from '../../storage/measured-store.ts'
import type { Store } from '../../storage/store.ts'
import { etcdMembers } from './etcd-members.ts'
import type { PhaseDeps } from './server-part-deps.ts'
import { withTimeToLive } from './time-to-live.ts'

/** The data: the store, the resources that are served from the start, and the cache over both. */
export interface Caches {
  readonly store: Store
  readonly definitions: ResourceRegistry
  readonly watchCache: WatchCache
  /** Of a store in etcd. */
  readonly etcdMetrics?: EtcdMetrics
}

export async function openCaches({ storage, features }: ServerOptions, deps: PhaseDeps): Promise<Caches> {
  const { clock, log, freeze, held, shared } = deps
  if (deps.encryption !== undefined) held.use(deps.encryption.live)
  const { store, metrics } = measured(held.use(await deps.opening), storage, deps)
  const definitions = createResourceRegistry([
    ...builtinResources().map((definition) => withOlderVersions(withTimeToLive(definition, storage.eventTtlMs), features.age)),
    ...features.gatedKinds.map(({ definition }) => definition),
    ...(features.thirdPartyResources ? [thirdPartyResources] : []),
    ...(deps.trails === true ? [...RECORDED_REPORTS, controllerReports, objectConversions] : []),
    ...(deps.parts.has('scheduler') ? [schedulingReports, ...(deps.trails === true ? [queueReports] : [])] : []),
    ...(deps.topologyReports ? [topologyReports, nodeReports] : []),
  ])
  const watchCache = held.use(
    await openWatchCache({ store, definitions, clock, log, freeze, ...boundsOf(storage), ...(shared && { shared }) }),
  )
  return { store, definitions, watchCache, ...(metrics && { etcdMetrics: metrics }) }
}

/** Requests to a real etcd are counted, and its size is followed. */
function measured(store: Store, { etcd, etcdOfAssets }: ServerOptions['storage'], { clock, held }: PhaseDeps) {
  if (etcd === undefined || etcdOfAssets === true) return { store, metrics: undefined }
  const metrics = new EtcdMetrics()
  const { sizeIntervalMs: intervalMs } = etcd
  if (intervalMs !== undefined) {
    const stop = new AbortController()
    const report = (sizeBytes: number | undefined) => metrics.sized(sizeBytes)
    const following = followSize({ ...etcdMembers(etcd), intervalMs }, { clock, report }, stop.signal)
    held.defer(() => {
      stop.abort()
      return following
    })
  }
  const requested = (request: StoreRequest) => metrics.requested(request)
  return { store: new MeasuredStore(store, { clock, requested, received: (key) => metrics.received(key) }), metrics }
}

/** A real etcd has limits of its own. */
const boundsOf = ({ etcd, etcdOfAssets }: ServerOptions['storage']) =>
  etcd === undefined || etcdOfAssets === true ? {} : { maxObjectBytes: Number.POSITIVE_INFINITY, healthTimeoutMs: etcd.healthTimeoutMs }
