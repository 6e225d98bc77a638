import { getCompileCacheDir } from 'node:module'
import { joinStream } from '../../threads/byte-duplex.ts'
import type { Link, Services } from '../../threads/link.ts'
import { keysOf } from '../certificates.ts'
import type { NodeSide } from '../create-node-side.ts'
import { nodePlaces } from '../nodes/node-places.ts'
import { unreachable } from '../nodes/node-reach.ts'
import type { ClusterFoundation } from '../open-foundation.ts'
import type { PartDeps } from '../parts/part-deps.ts'
import { type ClientPart, placementOf, threadsOf } from '../placement.ts'
import { servicePort } from '../server/begin-bootstrap.ts'
import type { Supervisor } from '../supervisor.ts'
import { runThread } from './part-thread.ts'
import { figureServices } from './remote-figures.ts'
import { RemoteNodes } from './remote-nodes.ts'
import { logService } from './thread-log.ts'
import { MAIN_SERVICES, type PartWorkerData, type RemoteDeath } from './thread-protocol.ts'
import { reportServices } from './thread-reports.ts'

export interface ThreadsDeps extends PartDeps {
  readonly foundation: ClusterFoundation
  readonly nodeSide: NodeSide
  readonly supervisor: Supervisor
}

/** Starts the threads of these parts, under the supervisor. */
export function startThreads(parts: readonly ClientPart[], deps: ThreadsDeps): void {
  const { setup, supervisor } = deps
  for (const [name, own] of threadsOf(placementOf(setup.config), parts)) {
    supervisor.start(`thread ${name}`, async () => {
      const { threadStarted: started, threadDeps } = setup.deps
      return runThread(name, await workerData(own, deps), {
        clock: setup.clock,
        services: (link) => mainServices(link, deps),
        ...threadDeps,
        ...(started && { started: (worker) => started(name, worker) }),
      })
    })
  }
}

async function workerData(parts: readonly ClientPart[], deps: ThreadsDeps): Promise<PartWorkerData> {
  const { setup, certificates, foundation, nodeSide } = deps
  const podRanges = await deps.podRanges()
  if (nodeSide.nodes instanceof RemoteNodes) nodeSide.nodes.place(nodePlaces(setup.nodeNames, podRanges?.simulated))
  return {
    parts,
    compileCache: getCompileCacheDir(),
    options: setup.options,
    keys: keysOf(certificates),
    podRanges,
    programLimits: setup.deps.programLimits,
    deviceFolder: nodeSide.deviceFolder,
    serverPort: servicePort(foundation.serverOptions),
  }
}

function mainServices(link: Link, { setup, access, supervisor, reports, nodeSide: { nodes, metrics } }: ThreadsDeps): Services {
  return {
    ...access.services(),
    ...reportServices(link, reports),
    ...(nodes instanceof RemoteNodes && { ...nodes.services(link), ...figureServices(metrics.figures) }),
    [MAIN_SERVICES.apiServer](_asked, exchange) {
      const connection = access.connect()
      if (connection === undefined) throw unreachable('the API server has no port')
      joinStream(exchange, connection)
    },
    [MAIN_SERVICES.log]: logService(setup.log),
    [MAIN_SERVICES.died](requested, exchange) {
      const { part, message, stack, restartMs } = requested as unknown as RemoteDeath
      supervisor.died({ part, error: Object.assign(new Error(message), { stack }), restartMs })
      exchange.end()
    },
  }
}
