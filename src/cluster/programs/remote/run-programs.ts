import { keepAlive, systemClock } from '../../../base/clock.ts'
import { systemRandom } from '../../../base/random.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { createClient } from '../../../sdk/client/create-client.ts'
import { streamOver } from '../../../threads/byte-duplex.ts'
import { Link, type LinkPort } from '../../../threads/link.ts'
import { threadTransport } from '../../../threads/thread-transport.ts'
import { FollowedCollections, networkInformers, readSource } from '../../threads/followed-objects.ts'
import { threadLogger } from '../../threads/thread-log.ts'
import { PART_SERVICES } from '../../threads/thread-protocol.ts'
import { ADMIN, nodeUser } from '../../users.ts'
import { loadImages } from '../load-images.ts'
import { createProgramsPart, type NodePlace, type ProgramsCluster } from '../programs-part.ts'
import { NODE_SERVICES, type PlacedNode } from './programs-protocol.ts'
import type { RunnerData } from './runner-data.ts'
import type { ServedContainer } from './serve-container.ts'
import { programServices } from './serve-programs.ts'
import { SizeReports } from './size-reports.ts'

/**
 * Runs the programs of all nodes in this process, for the nodes' side at the other end of the port, until that calls `stop`. `entered` is
 * called before a program of the container goes on.
 */
export async function runPrograms(
  { images, serviceCidr, server }: RunnerData,
  port: LinkPort,
  entered: (container: number) => void,
): Promise<RunningPrograms> {
  const programs = typeof images === 'string' ? await loadImages(images) : images
  // Not before its services are there: the nodes' side calls them at once.
  const link = new Link(port)
  const log = threadLogger(link)
  const stop = new AbortController()
  const release = keepAlive()
  const part = createProgramsPart({ images: programs, serviceCidr, server, clock: systemClock, random: systemRandom(), log })
  const objects = new FollowedCollections({ ...networkInformers(threadTransport(link, ADMIN), log), signal: stop.signal })
  part.start(clusterOver(link, objects))
  const sizes = new SizeReports(link)
  const containers = new Map<number, ServedContainer>()
  link.offer({
    ...programServices({
      node: (place) => sizes.watched(place.name, part.node(placeOver(place, link), new Map(place.folders))),
      opened: (node, uid) => sizes.opened(node, uid),
      gone: (uid) => sizes.gone(uid),
      async dial({ host, port: to }) {
        const connect = part.inside(host, to)
        if (connect === undefined) throw new Error(`invariant: ${host} is an address of the cluster`)
        return connect()
      },
      volumeGrown: (name) => part.volumeGrown(name),
      entered,
      containers,
    }),
    async [PART_SERVICES.stop](_asked, exchange) {
      stop.abort()
      await part[Symbol.asyncDispose]()
      release()
      exchange.end('{}')
    },
  })
  sizes.run()
  return {
    crashed(container, error) {
      log.warn('a program threw an error that it did not catch', { error })
      containers.get(container)?.crash(error)
    },
  }
}

export interface RunningPrograms {
  /** Called with an uncaught error: ends the container whose program went on last, in place of the process. */
  crashed(container: number, error: unknown): void
}

function clusterOver(link: Link, objects: FollowedCollections): ProgramsCluster {
  const transport = (user: UserInfo) => threadTransport(link, user)
  return {
    objects,
    source: readSource(transport(ADMIN)),
    clientOf: (user) => createClient(transport(user)),
    nodeClient: (name) => createClient(transport(nodeUser(name))),
    apiServer: () => streamOver(link.open(NODE_SERVICES.apiServer, {})),
  }
}

/** A node whose pods have their addresses from the other side. */
function placeOver({ name, ip, podSubnets }: PlacedNode, link: Link): NodePlace {
  const ask = async (service: string, address: string) => (await link.ask(service, { node: name, ip: address })).is === true
  return {
    name,
    ip,
    podSubnets,
    alive: (address) => ask(NODE_SERVICES.alive, address),
    wake: (address) => ask(NODE_SERVICES.wake, address),
  }
}
