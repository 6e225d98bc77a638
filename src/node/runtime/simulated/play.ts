import type { Later } from '../../../base/steps.ts'
import type { ByteDuplex, ProcessStreams } from '../../../machinery/streams.ts'
import type { LogSink } from '../container-log.ts'
import type { ContainerResources } from '../container-spec.ts'
import type { PodNetwork } from '../pod-network.ts'
import type { PodFiles } from '../runtime.ts'
import type { Behaviour, SimulatedContainer } from './behaviour.ts'

/** The end of a simulated process. */
export interface SimulatedExit {
  readonly exitCode: number
  readonly reason?: string
  readonly message?: string
}

/** The main process of a container. */
export interface Play {
  /** `end` is called once, when the process has ended for any reason. */
  begin(end: (exit: SimulatedExit) => void): void
  /** Sends SIGTERM. */
  ask(): void
  /** Ends it with this exit code. */
  kill(exitCode: number): void
}

/** A container in which programs can run. All fields except the last three can be sent to another process. */
export interface OpenedContainer extends SimulatedContainer {
  readonly id: string
  readonly ips: readonly string[]
  /** `groups`: all of the user's groups, `gid` first. */
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] }
  /** At the time of opening. */
  readonly resources: ContainerResources
  /** Its scripted behaviour. */
  readonly behaviour: Behaviour
  readonly log: LogSink
  /** Ends its main process with this code. */
  readonly end: (exitCode: number) => void
  /** Called each time before code of a program in the container goes on, so that it is known which one runs when the process hangs. */
  readonly entered?: () => void
}

/** A command that was found but not run yet. Aborting the signal kills it. */
export type RunCommand = (streams: ProcessStreams, signal: AbortSignal) => Promise<{ readonly exitCode: number }>

/** The programs of one container. */
export interface PlayedContainer {
  /** Its main process; undefined: the script simulates it. */
  readonly main: Play | undefined
  /** Undefined: the container has no program of this name. `unattended`: a probe or a hook runs it, not a person. */
  command(words: readonly string[], by: { readonly unattended: boolean }): Later<RunCommand | undefined>
  /** Starts the program that serves its ports while a script simulates its main process; resolves when it listens. */
  placeholder(): Promise<void>
  /** Attaches to the main process. */
  attach(streams: ProcessStreams, signal: AbortSignal): Promise<void>
  /** Its limits have changed. */
  update(resources: ContainerResources): void
  /** The container has ended: stops all of its programs. */
  close(): void
}

/** Programs that run in a node's containers, in place of the script: in this process (`nodePrograms`) or in another (`RemotePrograms`). */
export interface ContainerPrograms {
  /** Whether the main process of this container is a program; `shipped`: includes shipped programs. Called at each start: cheap. */
  plays(container: SimulatedContainer, shipped: boolean): boolean
  /** Whether this command can be run in the container, however its main process is simulated. Cheap. */
  knows(command: readonly string[]): boolean
  /** Whether a program can serve the ports of this container, whose main process is scripted. Cheap. */
  standsIn(container: SimulatedContainer): boolean
  /** Whether a shipped server runs instead of its image, whose main process is scripted. Cheap. */
  serves(container: SimulatedContainer): boolean
  /** Loads what programs need. Rejects with a `RuntimeError` on failure. */
  open(container: OpenedContainer): Promise<PlayedContainer>
  /** The network of programs, for a port with a listener; with `all`, for every port of an address without a script. */
  networkAt(ip: string, port: number, all: boolean): Later<PodNetwork | undefined>
  /** Connects a client to a port inside a pod, until either side closes; false: no program of the pod listens at all. */
  forward(ips: readonly string[], port: number, connection: ByteDuplex): Promise<boolean>
  /** The network of a deleted pod. */
  networkGone(ips: readonly string[]): void
  /** The disk usage of programs in a pod; undefined: the pod has no programs. */
  podFiles(uid: string): PodFiles | undefined
  /** The content of a file of a pod's volume; undefined: there is no such file. */
  readFile(uid: string, volume: string, path: string): Later<string | undefined>
  /** The pod's object in the API has changed. */
  podChanged(uid: string): void
  /** The pod's containers and sandboxes are removed. */
  podGone(uid: string): void
}
