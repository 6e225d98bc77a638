import type { SchedulingReports } from '../../server/actions/scheduling-reports.ts'
import type { ClusterAccess } from '../cluster-access.ts'
import type { NodeSide } from '../create-node-side.ts'
import type { ClusterFoundation } from '../open-foundation.ts'
import { type ClientPart, placementOf } from '../placement.ts'
import type { ClusterSetup } from '../read-setup.ts'
import type { ServerPart } from '../server/server-part.ts'
import type { RunPart, Supervisor } from '../supervisor.ts'
import { startThreads } from '../threads/start-threads.ts'
import { loadControllers } from './load-controllers.ts'
import { loadNodes, type NodesDeps } from './load-nodes.ts'
import { loadScheduler } from './load-scheduler.ts'
import { podRangePlan } from './pod-range-plan.ts'

/** A cluster whose server is open. */
export interface OpenCluster {
  readonly setup: ClusterSetup
  readonly foundation: ClusterFoundation
  readonly access: ClusterAccess
  readonly nodeSide: NodeSide
  readonly serverPart: ServerPart
  readonly supervisor: Supervisor
  readonly reports: SchedulingReports
}

/** Starts controllers, scheduler and nodes under the supervisor, each in its thread. */
export function startParts(cluster: OpenCluster, signal: AbortSignal): void {
  const { deps, clock } = cluster.setup
  const start = () => {
    const parts = wantedParts(cluster.setup)
    const placement = placementOf(cluster.setup.config)
    const loading = loadingDeps(cluster)
    for (const part of parts) if (placement[part] === undefined) cluster.supervisor.start(part, () => LOADERS[part](loading))
    if (parts.some((part) => placement[part] !== undefined)) startThreads(parts, { ...cluster, ...loading })
  }
  if (deps.partsAfterMs === undefined) start()
  else signal.addEventListener('abort', clock.after(deps.partsAfterMs, start), { once: true })
}

const LOADERS: Readonly<Record<ClientPart, (deps: NodesDeps) => Promise<RunPart>>> = {
  controllers: loadControllers,
  scheduler: loadScheduler,
  nodes: loadNodes,
}

function wantedParts({ config, simulates }: ClusterSetup): readonly ClientPart[] {
  const all: readonly ClientPart[] = ['controllers', 'scheduler', 'nodes']
  return all.filter((part) => (part === 'nodes' ? simulates : config.parts.has(part)))
}

const loadingDeps = ({ setup, foundation, access, nodeSide, serverPart, reports }: OpenCluster): NodesDeps => ({
  setup,
  certificates: foundation.certificates,
  access,
  podRanges: () => podRangePlan(setup, access),
  reports,
  nodeSide,
  objects: serverPart.watchCache.reader,
  apiServer: () => serverPart.server.connectSecurely(),
})
