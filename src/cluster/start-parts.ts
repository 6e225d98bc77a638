import { holding } from '../base/clock.ts'
import { onAbort } from '../base/on-abort.ts'
import { sourceOf } from '../node/volumes/object-source.ts'
import { createInformerFactory } from '../sdk/informer/informer-factory.ts'
import type { PartReports } from '../server/reports/part-reports.ts'
import type { ClusterAccess } from './cluster-access.ts'
import type { NodeSide } from './create-node-side.ts'
import type { ClusterFoundation } from './open-foundation.ts'
import { loadControllers } from './parts/load-controllers.ts'
import { loadScheduler } from './parts/load-scheduler.ts'
import type { PartDeps } from './parts/part-deps.ts'
import { podRangePlan } from './parts/pod-range-plan.ts'
import { type ClientPart, placementOf, readerOf } from './placement.ts'
import type { ClusterSetup } from './read-setup.ts'
import type { ServerPart } from './server/server-part.ts'
import type { RunPart, Supervisor } from './supervisor.ts'
import { RemoteNodes } from './threads/remote-nodes.ts'
import { startThreads } from './threads/start-threads.ts'

/** A cluster whose server is open. */
export interface OpenCluster {
  readonly setup: ClusterSetup
  readonly foundation: ClusterFoundation
  readonly access: ClusterAccess
  readonly nodeSide: NodeSide
  readonly serverPart: ServerPart
  readonly supervisor: Supervisor
  readonly reports: PartReports
}

/** Starts controllers, scheduler and nodes under the supervisor, each in its thread. */
export function startParts(cluster: OpenCluster, signal: AbortSignal): void {
  const { deps, clock } = cluster.setup
  const start = () => {
    const parts = wantedParts(cluster.setup)
    const placement = placementOf(cluster.setup.config)
    const loading = partDeps(
      cluster,
      parts.filter((part) => placement[part] === undefined),
    )
    const here = loaders(cluster, loading)
    for (const part of parts) if (placement[part] === undefined) cluster.supervisor.start(part, here[part])
    if (parts.some((part) => placement[part] !== undefined)) startThreads(parts, { ...cluster, ...loading })
  }
  if (deps.partsAfterMs === undefined) start()
  else onAbort(signal, clock.after(deps.partsAfterMs, start))
}

/** Loads each part into this thread. */
const loaders = (
  { nodeSide: { nodes }, serverPart }: OpenCluster,
  deps: PartDeps,
): Readonly<Record<ClientPart, () => Promise<RunPart>>> => ({
  controllers: () => loadControllers(deps),
  scheduler: () => loadScheduler(deps),
  async nodes() {
    if (nodes instanceof RemoteNodes) throw new Error('invariant: nodes are loaded where they are placed')
    const { reader } = serverPart.watchCache
    const { loadNodes } = await holding(deps.setup.clock, 'loading the nodes', () => import('./parts/load-nodes.ts'))
    return loadNodes({ ...deps, nodes, objects: reader, source: sourceOf(reader) })
  },
})

function wantedParts({ config, nodeNames }: ClusterSetup): readonly ClientPart[] {
  const all: readonly ClientPart[] = ['controllers', 'scheduler', 'nodes']
  return all.filter((part) => (part === 'nodes' ? nodeNames.length > 0 : config.parts.has(part)))
}

const partDeps = ({ setup, foundation, access, reports }: OpenCluster, here: readonly ClientPart[]): PartDeps => ({
  setup,
  certificates: foundation.certificates,
  access,
  informers: createInformerFactory({ ...setup, client: access.client(readerOf(here)) }),
  podRanges: () => podRangePlan(setup, access),
  reports,
})
