import type { Link, Services } from '../../threads/link.ts'
import { transportServices } from '../../threads/serve-transports.ts'
import { keysOf } from '../certificates.ts'
import type { ClusterFoundation } from '../open-foundation.ts'
import type { PartDeps } from '../parts/part-deps.ts'
import { type ClientPart, placementOf, threadsOf } from '../placement.ts'
import { servicePort } from '../server/begin-bootstrap.ts'
import type { ServerPart } from '../server/server-part.ts'
import type { Supervisor } from '../supervisor.ts'
import { runThread } from './part-thread.ts'
import { reportServices } from './scheduler-reports.ts'
import { logService } from './thread-log.ts'
import { MAIN_SERVICES, type PartWorkerData, type RemoteDeath } from './thread-protocol.ts'

export interface ThreadsDeps extends PartDeps {
  readonly foundation: ClusterFoundation
  readonly serverPart: ServerPart
  readonly supervisor: Supervisor
}

/** Starts the threads of these parts, under the supervisor. */
export function startThreads(parts: readonly ClientPart[], deps: ThreadsDeps): void {
  const { setup, supervisor } = deps
  for (const [name, own] of threadsOf(placementOf(setup.config), parts)) {
    supervisor.start(`thread ${name}`, async () => {
      const started = setup.deps.threadStarted
      return runThread(name, await workerData(own, deps), {
        clock: setup.clock,
        services: (link) => mainServices(link, deps),
        ...(started && { started: (worker) => started(name, worker) }),
      })
    })
  }
}

async function workerData(
  parts: readonly ClientPart[],
  { setup, certificates, foundation, podRanges }: ThreadsDeps,
): Promise<PartWorkerData> {
  return {
    parts,
    options: setup.options,
    keys: keysOf(certificates),
    podRanges: await podRanges(),
    serverPort: servicePort(foundation.serverOptions),
  }
}

function mainServices(link: Link, { setup, serverPart, supervisor, reports }: ThreadsDeps): Services {
  return {
    ...transportServices((user) => serverPart.server.encodedTransport(user)),
    ...reportServices(link, reports),
    [MAIN_SERVICES.log]: logService(setup.log),
    [MAIN_SERVICES.died](asked, exchange) {
      const { part, message, stack, restartMs } = asked as unknown as RemoteDeath
      supervisor.died({ part, error: Object.assign(new Error(message), { stack }), restartMs })
      exchange.end()
    },
  }
}
