import { createResourceRegistry, type ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import { openWatchCache, type WatchCache } from '../../apiserver/cache/watch-cache.ts'
import { controllerReports } from '../../resources/bowsprit/controllerreports.ts'
import { nodeReports } from '../../resources/bowsprit/nodereports.ts'
import { queueReports } from '../../resources/bowsprit/queuereports.ts'
import { RECORDED_REPORTS } from '../../resources/bowsprit/recorded-reports.ts'
import { schedulingReports } from '../../resources/bowsprit/schedulingreports.ts'
import { topologyReports } from '../../resources/bowsprit/topologyreports.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { thirdPartyResources } from '../../resources/extensions/thirdpartyresources.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import type { Store } from '../../storage/store.ts'
import type { PhaseDeps } from './server-part-deps.ts'
import { withTimeToLive } from './time-to-live.ts'

/** The data: the store, the resources that are served from the start, and the cache over both. */
export interface Caches {
  readonly store: Store
  readonly definitions: ResourceRegistry
  readonly watchCache: WatchCache
}

export async function openCaches({ storage, features }: ServerOptions, deps: PhaseDeps): Promise<Caches> {
  const { clock, log, freeze, held, shared } = deps
  if (deps.encryption !== undefined) held.use(deps.encryption.live)
  const store = held.use(await deps.opening)
  const definitions = createResourceRegistry([
    ...builtinResources().map((definition) => withTimeToLive(definition, storage.eventTtlMs)),
    ...features.gatedKinds.map(({ definition }) => definition),
    ...(features.thirdPartyResources ? [thirdPartyResources] : []),
    ...(deps.trails === true ? RECORDED_REPORTS : []),
    ...(deps.trails === true && deps.parts.has('controllers') ? [controllerReports] : []),
    ...(deps.parts.has('scheduler') ? [schedulingReports, ...(deps.trails === true ? [queueReports] : [])] : []),
    ...(deps.topologyReports ? [topologyReports, nodeReports] : []),
  ])
  const watchCache = held.use(
    await openWatchCache({ store, definitions, clock, log, freeze, ...boundsOf(storage), ...(shared && { shared }) }),
  )
  return { store, definitions, watchCache }
}

/** A real etcd has limits of its own. */
const boundsOf = ({ etcd, etcdOfAssets }: ServerOptions['storage']) =>
  etcd === undefined || etcdOfAssets === true ? {} : { maxObjectBytes: Number.POSITIVE_INFINITY, healthTimeoutMs: etcd.healthTimeoutMs }
