import type { Duplex } from 'node:stream'
import type { JsonObject } from '../../../machinery/object.ts'
import { notFound } from '../../../machinery/status-error.ts'
import type { CommandStreams } from '../../../machinery/streams.ts'
import type { ContainerPrograms } from '../../../node/runtime/simulated/play.ts'
import { joinStream } from '../../../threads/byte-duplex.ts'
import type { Exchange } from '../../../threads/exchange.ts'
import type { LinkService, Services } from '../../../threads/link.ts'
import { serveProcess } from '../../threads/process-streams.ts'
import {
  type AttachRequest,
  type CommandRequest,
  type ContainerNumber,
  type DialTarget,
  type FileRequest,
  type ForwardRequest,
  type ListenRequest,
  type OpenRequest,
  type PlacedNode,
  type PodRequest,
  PROGRAM_SERVICES,
  type ProbeRequest,
  type RunRequest,
} from './programs-protocol.ts'
import { type ServedContainer, serveContainer } from './serve-container.ts'

export interface HostedPrograms {
  /** The programs of a node that the nodes' side has named. */
  node(place: PlacedNode): ContainerPrograms
  /** A connection from beside the cluster. */
  dial(endpoint: DialTarget): Promise<Duplex>
  volumeGrown(volumeName: string): void
  /** A pod has a container with programs. */
  opened(node: string, podUid: string): void
  /** Nothing of a pod is left. */
  gone(podUid: string): void
  /** Called before a program of the container goes on. */
  entered(container: number): void
  /** Those that are open, by their numbers. */
  readonly containers: Map<number, ServedContainer>
}

/** The runner's end of `RemotePrograms`: its services over the programs of this process. */
export function programServices(hosted: HostedPrograms): Services {
  const { containers } = hosted
  const nodes = new Map<string, ContainerPrograms>()
  const programsOf = (node: string): ContainerPrograms => {
    const programs = nodes.get(node)
    if (programs === undefined) throw new Error(`invariant: node ${node} is named before its containers`)
    return programs
  }
  const servedOf = ({ container }: ContainerNumber): ServedContainer => {
    const served = containers.get(container)
    if (served === undefined) throw new Error('the container has ended')
    return served
  }
  const commandOf = async (requested: CommandRequest) => servedOf(requested).played.command(requested.words, requested)
  const networkOf = async ({ node, ip, port, all }: ListenRequest) => programsOf(node).networkAt(ip, port, all)
  return {
    [PROGRAM_SERVICES.node]: notified<PlacedNode>((place) => void nodes.set(place.name, hosted.node(place))),
    [PROGRAM_SERVICES.open]: serving<OpenRequest>((requested, exchange) => {
      hosted.opened(requested.node, requested.opened.spec.pod.uid)
      return serveContainer(requested, exchange, { programs: programsOf(requested.node), containers, entered: hosted.entered })
    }),
    [PROGRAM_SERVICES.find]: answering<CommandRequest>(async (requested) => ({ found: (await commandOf(requested)) !== undefined })),
    [PROGRAM_SERVICES.run]: serving<RunRequest>(async (requested, exchange) => {
      const command = await commandOf(requested)
      if (command === undefined) throw new Error('the container has no such command')
      await serveProcess(exchange, requested.wanted, command)
    }),
    [PROGRAM_SERVICES.attach]: serving<AttachRequest>((requested, exchange) =>
      serveProcess(exchange, requested.wanted, async (streams, signal) => {
        const { played, begun } = servedOf(requested)
        await begun
        await played.attach(streams, signal)
        return { exitCode: 0 }
      }),
    ),
    [PROGRAM_SERVICES.placeholder]: answering<ContainerNumber>(async (requested) => {
      await servedOf(requested).played.placeholder()
      return {}
    }),
    [PROGRAM_SERVICES.listens]: answering<ListenRequest>(async (requested) => ({ found: (await networkOf(requested)) !== undefined })),
    [PROGRAM_SERVICES.probe]: answering<ProbeRequest>(async (requested, signal) => {
      const network = await networkOf(requested)
      if (network === undefined) throw new Error('the program has ended')
      if (requested.kind === 'http') return { result: await network.http(requested.request, signal) }
      if (requested.kind === 'grpc') return { result: await network.grpcHealth(requested.target, signal) }
      await network.tcp(requested.target, signal)
      return {}
    }),
    [PROGRAM_SERVICES.forward]: serving<ForwardRequest>(forward),
    [PROGRAM_SERVICES.dial]: serving<DialTarget>(async (endpoint, exchange) => {
      const connection = await hosted.dial(endpoint)
      await exchange.send(BEGUN)
      joinStream(exchange, connection)
    }),
    [PROGRAM_SERVICES.readFile]: answering<FileRequest>(async ({ node, uid, volume, path }) => ({
      text: await programsOf(node).readFile(uid, volume, path),
    })),
    [PROGRAM_SERVICES.podChanged]: notified<PodRequest>(({ node, uid }) => programsOf(node).podChanged(uid)),
    [PROGRAM_SERVICES.podGone]: notified<PodRequest>(({ node, uid }) => {
      hosted.gone(uid)
      programsOf(node).podGone(uid)
    }),
    [PROGRAM_SERVICES.networkGone]: notified<Omit<ForwardRequest, 'port'>>(({ node, ips }) => programsOf(node).networkGone(ips)),
    [PROGRAM_SERVICES.volumeGrown]: notified<{ readonly name: string }>(({ name }) => hosted.volumeGrown(name)),
  }

  /** Fails with NotFound where no program of the pod listens anywhere. */
  async function forward({ node, ips, port }: ForwardRequest, exchange: Exchange): Promise<void> {
    await serveProcess(exchange, FORWARDED, async ({ stdin, stdout }) => {
      if (stdin === undefined || stdout === undefined) throw new Error('invariant: a connection has two directions')
      if (!(await programsOf(node).forward(ips, port, { source: stdin, sink: stdout })))
        throw notFound({ group: '', resource: 'ports' }, String(port))
      return { exitCode: 0 }
    })
  }
}

const BEGUN = new Uint8Array()

const FORWARDED: CommandStreams = { stdin: true, stdout: true, stderr: false, tty: false }

/** A service whose request was written by `RemotePrograms`. */
const serving =
  <T>(serve: (requested: T, exchange: Exchange) => Promise<void>): LinkService =>
  (requested: JsonObject, exchange) =>
    serve(requested as unknown as T, exchange)

const answering = <T>(answer: (requested: T, signal: AbortSignal) => Promise<object>): LinkService =>
  serving<T>(async (requested, exchange) => exchange.end(JSON.stringify(await answer(requested, exchange.signal))))

const notified = <T>(hear: (requested: T) => void): LinkService =>
  serving<T>(async (requested, exchange) => {
    hear(requested)
    exchange.end()
  })
