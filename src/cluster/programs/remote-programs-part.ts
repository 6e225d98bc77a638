import type { Duplex } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { dialRefused } from '../../base/http/network-error.ts'
import type { Logger } from '../../base/logger.ts'
import { createImageTable } from '../../node/programs/image-match.ts'
import type { ImagePrograms } from '../../node/programs/program.ts'
import { SHIPPED_IMAGES } from '../../node/programs/shipped/shipped-programs.ts'
import { joinStream, streamOver } from '../../threads/byte-duplex.ts'
import type { Link, Services } from '../../threads/link.ts'
import type { RunnerLimits } from '../threads/runner-limits.ts'
import { logService } from '../threads/thread-log.ts'
import { MAIN_SERVICES } from '../threads/thread-protocol.ts'
import { type NetworkEndpoint, type NodePlace, networkNode, type ProgramsCluster, type ProgramsPart } from './programs-part.ts'
import { type AddressRequest, NODE_SERVICES, type PlacedNode, type PodSizes, PROGRAM_SERVICES } from './remote/programs-protocol.ts'
import { RemotePrograms } from './remote/remote-programs.ts'
import type { ImagesSource } from './remote/runner-data.ts'
import { RunnerSessions } from './remote/runner-sessions.ts'
import { SHIPPED_SERVERS } from './shipped-servers.ts'

export interface RemoteProgramsPartDeps {
  /** Read in this process too: which image has a program is answered here. */
  readonly images: ImagePrograms
  /** Where the runner has them from. */
  readonly source: ImagesSource
  readonly serviceCidr: string
  readonly server: NetworkEndpoint
  readonly clock: Clock
  readonly log: Logger
  /** Default: `PROGRAM_LIMITS`. */
  readonly limits?: RunnerLimits
  /** The calls of any user to the API server, for the runner. */
  readonly calls: () => Services
}

interface RemoteNode {
  readonly place: NodePlace
  readonly placed: PlacedNode
  readonly owns: (ip: string) => boolean
  readonly programs: RemotePrograms
}

/** The programs of all nodes, in a process of their own, the runner. It starts with the first container that has one. */
export function createRemoteProgramsPart(deps: RemoteProgramsPartDeps): ProgramsPart {
  const { serviceCidr, server, clock, log, limits, source, calls } = deps
  const images = createImageTable({ ...deps.images, ...SHIPPED_IMAGES, ...SHIPPED_SERVERS })
  const nodes = new Map<string, RemoteNode>()
  let cluster: ProgramsCluster | undefined
  const runners = new RunnerSessions({
    data: { images: source, serviceCidr, server },
    services: () => ({ ...calls(), ...nodeServices(), [MAIN_SERVICES.log]: logService(log) }),
    opened: (link) => {
      for (const { placed } of nodes.values()) named(link, placed)
    },
    clock,
    log,
    ...(limits && { limits }),
  })
  const named = (link: Link, placed: PlacedNode) => void link.open(PROGRAM_SERVICES.node, placed, { ended: true })

  function nodeServices(): Services {
    return {
      async [NODE_SERVICES.alive](requested, exchange) {
        // `RemotePrograms`' counterpart has written it.
        const { node, ip } = requested as unknown as AddressRequest
        exchange.end(JSON.stringify({ is: await nodes.get(node)?.place.alive(ip) }))
      },
      async [NODE_SERVICES.wake](requested, exchange) {
        const { node, ip } = requested as unknown as AddressRequest
        exchange.end(JSON.stringify({ is: await nodes.get(node)?.place.wake?.(ip) }))
      },
      [NODE_SERVICES.sizes](requested, exchange) {
        const sizes = requested as unknown as PodSizes
        nodes.get(sizes.node)?.programs.written(sizes)
        exchange.end()
      },
      [NODE_SERVICES.apiServer](_asked, exchange) {
        joinStream(exchange, toServer())
      },
    }
  }

  function toServer(): Duplex {
    const connection = cluster?.apiServer()
    if (connection === undefined) throw new Error(dialRefused(`${server.address}:${server.port}`))
    return connection
  }

  async function dial(host: string, port: number): Promise<Duplex> {
    const { link } = await runners.session()
    const exchange = link.open(PROGRAM_SERVICES.dial, { host, port })
    await exchange.next()
    return streamOver(exchange)
  }

  return {
    inside(host, port) {
      if (host === server.address && port === server.port) return async () => toServer()
      if (![...nodes.values()].some(({ place, owns }) => place.ip === host || owns(host))) return undefined
      return () => dial(host, port)
    },
    start(started) {
      cluster = started
    },
    volumeGrown: (name) => void runners.current?.link.open(PROGRAM_SERVICES.volumeGrown, { name }, { ended: true }),
    node(place, folders) {
      const { name, ip, podSubnets } = place
      const placed: PlacedNode = { name, ip, podSubnets, folders: [...folders] }
      const programs = new RemotePrograms({ node: name, images, sessions: runners })
      nodes.set(name, { place, placed, owns: networkNode(place).owns, programs })
      if (runners.current !== undefined) named(runners.current.link, placed)
      return programs
    },
    [Symbol.asyncDispose]: () => runners[Symbol.asyncDispose](),
  }
}
