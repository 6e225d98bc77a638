import { messageOf } from '../../../base/message-of.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { ByteDuplex } from '../../../machinery/streams.ts'
import type { ImageTable } from '../../../node/programs/image-match.ts'
import { knownPrograms } from '../../../node/programs/known-programs.ts'
import type { HttpResponse, PodNetwork } from '../../../node/runtime/pod-network.ts'
import type { PodFiles } from '../../../node/runtime/runtime.ts'
import type { ContainerPrograms, OpenedContainer, PlayedContainer } from '../../../node/runtime/simulated/play.ts'
import { followProcess } from '../../threads/process-streams.ts'
import { type ListenRequest, type PodSizes, PROGRAM_SERVICES } from './programs-protocol.ts'
import type { ProgramsSession, ProgramsSessions } from './programs-session.ts'
import { RemoteContainer } from './remote-container.ts'

const NEVER = new AbortController().signal

export interface RemoteProgramsDeps {
  readonly node: string
  readonly images: ImageTable
  readonly sessions: ProgramsSessions
}

/** The programs of one node, in a runner. Frequent questions are answered here. */
export class RemotePrograms implements ContainerPrograms {
  readonly plays: ContainerPrograms['plays']
  readonly knows: ContainerPrograms['knows']
  readonly standsIn: ContainerPrograms['standsIn']
  readonly serves: ContainerPrograms['serves']
  readonly #deps: RemoteProgramsDeps
  /** Addresses at which containers were opened. */
  readonly #addresses = new Set<string>()
  readonly #files = new Map<string, PodFiles>()

  constructor(deps: RemoteProgramsDeps) {
    this.#deps = deps
    const known = knownPrograms(deps.images)
    this.plays = known.plays
    this.knows = known.knows
    this.standsIn = known.standsIn
    this.serves = known.serves
  }

  async open(opened: OpenedContainer): Promise<PlayedContainer> {
    const { node, sessions } = this.#deps
    const container = await RemoteContainer.open(opened, node, () => sessions.session())
    for (const ip of opened.ips) this.#addresses.add(ip)
    const { uid } = opened.spec.pod
    if (!this.#files.has(uid)) this.#files.set(uid, { layers: new Map(), volumes: new Map() })
    return container
  }

  async networkAt(ip: string, port: number, all: boolean): Promise<PodNetwork | undefined> {
    const session = this.#deps.sessions.current
    if (session === undefined || (!all && !this.#addresses.has(ip))) return undefined
    const requested: ListenRequest = { node: this.#deps.node, ip, port, all }
    const { found } = await session.link.ask(PROGRAM_SERVICES.listens, requested)
    return found === true ? remoteNetwork(session, requested) : undefined
  }

  async forward(ips: readonly string[], port: number, connection: ByteDuplex): Promise<boolean> {
    const session = this.#deps.sessions.current
    if (session === undefined) return false
    try {
      const exchange = session.link.open(PROGRAM_SERVICES.forward, { node: this.#deps.node, ips, port })
      await followProcess(exchange, { stdin: connection.source, stdout: connection.sink, tty: false }, NEVER)
      return true
    } catch (error) {
      if (isStatus(error, 'NotFound')) return false
      throw new Error(messageOf(error), { cause: error })
    }
  }

  networkGone(ips: readonly string[]): void {
    for (const ip of ips) this.#addresses.delete(ip)
    this.#tell(PROGRAM_SERVICES.networkGone, { ips })
  }

  podFiles(uid: string): PodFiles | undefined {
    return this.#files.get(uid)
  }

  async readFile(uid: string, volume: string, path: string): Promise<string | undefined> {
    const { node, sessions } = this.#deps
    if (!this.#files.has(uid) || sessions.current === undefined) return undefined
    const { text } = await sessions.current.link.ask(PROGRAM_SERVICES.readFile, { node, uid, volume, path })
    return typeof text === 'string' ? text : undefined
  }

  podChanged(uid: string): void {
    if (this.#files.has(uid)) this.#tell(PROGRAM_SERVICES.podChanged, { uid })
  }

  podGone(uid: string): void {
    if (this.#files.delete(uid)) this.#tell(PROGRAM_SERVICES.podGone, { uid })
  }

  /** The runner reports how much a pod has written. */
  written({ uid, layers, volumes }: PodSizes): void {
    if (this.#files.has(uid)) this.#files.set(uid, { layers: new Map(layers), volumes: new Map(volumes) })
  }

  #tell(service: string, what: object): void {
    const { node, sessions } = this.#deps
    sessions.current?.link.open(service, { node, ...what }, { ended: true })
  }
}

/** How probes reach ports of programs in their runner. */
function remoteNetwork({ link }: ProgramsSession, requested: ListenRequest): PodNetwork {
  const probe = async (what: object, signal: AbortSignal) => {
    try {
      return (await link.ask(PROGRAM_SERVICES.probe, { ...requested, ...what }, signal)).result
    } catch (error) {
      throw signal.aborted ? signal.reason : new Error(messageOf(error), { cause: error })
    }
  }
  // What is answered comes from the same calls of a network in the runner.
  return {
    http: async (request, signal) => (await probe({ kind: 'http', request }, signal)) as unknown as HttpResponse,
    tcp: async (target, signal) => void (await probe({ kind: 'tcp', target }, signal)),
    grpcHealth: async (target, signal) => (await probe({ kind: 'grpc', target }, signal)) as Awaited<ReturnType<PodNetwork['grpcHealth']>>,
  }
}
