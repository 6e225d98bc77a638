import { keepAlive, systemClock } from '../../base/clock.ts'
import { HeldResources } from '../../base/collections/held-resources.ts'
import { collectWhenIdle } from '../../base/lean-heap.ts'
import { silentLogger } from '../../base/logger.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { createInformerFactory } from '../../sdk/informer/informer-factory.ts'
import { streamOver } from '../../threads/byte-duplex.ts'
import { Link, type LinkPort } from '../../threads/link.ts'
import { relayedTransports } from '../../threads/relay.ts'
import { threadTransport } from '../../threads/thread-transport.ts'
import { type ClusterCertificates, openCertificates } from '../certificates.ts'
import type { ClusterAccess } from '../cluster-access.ts'
import { loadControllers } from '../parts/load-controllers.ts'
import { loadScheduler } from '../parts/load-scheduler.ts'
import type { PartDeps } from '../parts/part-deps.ts'
import { type ClientPart, readerOf } from '../placement.ts'
import { readSetup } from '../read-setup.ts'
import { type PartDeath, type RunPart, Supervisor } from '../supervisor.ts'
import { ADMIN } from '../users.ts'
import { threadLogger } from './thread-log.ts'
import type { ThreadNodesDeps } from './thread-nodes.ts'
import { MAIN_SERVICES, PART_SERVICES, type PartWorkerData, type RemoteDeath } from './thread-protocol.ts'
import { offeredReports } from './thread-reports.ts'

/** Runs parts of a cluster in this thread, against the API server at the other end of the port, until that asks for `stop`. */
export function runParts(data: PartWorkerData, port: LinkPort): void {
  const link = new Link(port)
  const stop = new AbortController()
  const supervisor = new Supervisor({
    clock: systemClock,
    // The supervisor at the other end logs it.
    log: silentLogger,
    signal: stop.signal,
    died: (death) => void link.open(MAIN_SERVICES.died, remoteDeath(death), { ended: true }),
  })
  const held = new HeldResources()
  const running = keepAlive()
  held.defer(collectWhenIdle(systemClock))
  link.offer({
    [PART_SERVICES.alive]: (_asked, exchange) => exchange.end('{}'),
    async [PART_SERVICES.stop](_asked, exchange) {
      stop.abort()
      await supervisor.ended()
      await held[Symbol.asyncDispose]()
      running()
      exchange.end('{}')
    },
  })
  let deps: Promise<PartDeps> | undefined
  for (const part of data.parts)
    supervisor.start(part, async () => {
      deps ??= depsOf(data, link)
      return LOADERS[part]({ ...(await deps), data, link, held, signal: stop.signal })
    })
}

const LOADERS: Readonly<Record<ClientPart, (deps: ThreadNodesDeps) => Promise<RunPart>>> = {
  controllers: loadControllers,
  scheduler: loadScheduler,
  nodes: async (deps) => (await import('./thread-nodes.ts')).loadThreadNodes(deps),
}

async function depsOf({ parts, options, keys, podRanges, programLimits }: PartWorkerData, link: Link): Promise<PartDeps> {
  const setup = await readSetup(options, { log: threadLogger(link), ...(programLimits && { programLimits }) })
  const access = threadAccess(link)
  return {
    setup,
    certificates: certificatesOf(keys, setup.config.serviceCidr),
    access,
    informers: createInformerFactory({ ...setup, client: access.client(readerOf(parts)) }),
    podRanges: async () => podRanges,
    reports: offeredReports(link),
  }
}

const certificatesOf = (keys: PartWorkerData['keys'], serviceCidr: string): ClusterCertificates =>
  openCertificates({ folder: undefined, serviceCidr, keys }, { clock: systemClock })

function threadAccess(link: Link): ClusterAccess {
  const transport: ClusterAccess['transport'] = (user = ADMIN) => threadTransport(link, user)
  return {
    transport,
    client: (user) => createClient(transport(user)),
    connect: () => streamOver(link.open(MAIN_SERVICES.apiServer, {})),
    services: () => relayedTransports(link),
  }
}

const remoteDeath = ({ part, error: { message, stack }, restartMs }: PartDeath): RemoteDeath => ({
  // The supervisor of this thread runs these parts alone.
  part: part as ClientPart,
  message,
  ...(stack !== undefined && { stack }),
  ...(restartMs !== undefined && { restartMs }),
})
