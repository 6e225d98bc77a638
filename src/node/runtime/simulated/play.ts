import type { Later } from '../../../base/steps.ts'
import type { ByteDuplex, ProcessStreams } from '../../../machinery/streams.ts'
import type { LogSink } from '../container-log.ts'
import type { ContainerResources } from '../container-spec.ts'
import type { PodNetwork } from '../pod-network.ts'
import type { PodFiles } from '../runtime.ts'
import type { Behaviour, SimulatedContainer } from './behaviour.ts'

/** How a simulated process ended. */
export interface SimulatedExit {
  readonly exitCode: number
  readonly reason?: string
  readonly message?: string
}

/** What a container's main process does. */
export interface Play {
  /** `end` is called once, when the process has ended, however it came to that. */
  begin(end: (exit: SimulatedExit) => void): void
  /** Asks it to stop. */
  ask(): void
  /** Ends it with this code. */
  kill(exitCode: number): void
}

/** A container that programs can run in: all of it but the last two can be sent to another thread. */
export interface OpenedContainer extends SimulatedContainer {
  readonly id: string
  readonly ips: readonly string[]
  /** `groups`: all of the user's groups, the first of them `gid`. */
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] }
  /** At the time when it is opened. */
  readonly resources: ContainerResources
  /** What the script does in it. */
  readonly behaviour: Behaviour
  readonly log: LogSink
  /** Ends its main process with this code. */
  readonly end: (exitCode: number) => void
}

/** A command that was found, and not run yet. Aborting the signal kills it. */
export type RunCommand = (streams: ProcessStreams, signal: AbortSignal) => Promise<{ readonly exitCode: number }>

/** What programs do in one container. */
export interface PlayedContainer {
  /** Its main process; undefined: the script plays it. */
  readonly main: Play | undefined
  /** Undefined: no program of the container has this name. `unattended`: a probe or a hook runs it, not a person. */
  command(words: readonly string[], by: { readonly unattended: boolean }): Later<RunCommand | undefined>
  /** Begins what answers its ports in place of a main process that a script plays; resolves when it does. */
  standIn(): Promise<void>
  /** Joins the main process. */
  attach(streams: ProcessStreams, signal: AbortSignal): Promise<void>
  /** Its limits have changed. */
  update(resources: ContainerResources): void
  /** The container has ended: nothing of it runs any more. */
  close(): void
}

/**
 * Programs that run in a node's containers, in place of the script: in this thread (`nodePrograms`) or in another
 * (`RemotePrograms`).
 */
export interface ContainerPrograms {
  /** Whether the main process of this container is a program; `shipped`: also one that comes along. Called at each start: cheap. */
  plays(container: SimulatedContainer, shipped: boolean): boolean
  /** Whether this command can be run in the container, whether a program or the script plays its main process. Cheap. */
  knows(command: readonly string[]): boolean
  /** Whether a program answers connections to this container, whose main process a script plays. Cheap. */
  standsIn(container: SimulatedContainer): boolean
  /** Makes ready what programs need there. Rejects with a `RuntimeError` when they cannot be had. */
  open(container: OpenedContainer): Promise<PlayedContainer>
  /** The network of programs, for a port at which one listens; with `all`, for every port of an address behind which nothing else runs. */
  networkAt(ip: string, port: number, all: boolean): Later<PodNetwork | undefined>
  /** Joins a client to a port inside a pod, until either is done; false: no program of it listens anywhere. */
  forward(ips: readonly string[], port: number, connection: ByteDuplex): Promise<boolean>
  /** A pod's network does not exist any more. */
  networkGone(ips: readonly string[]): void
  /** How much programs have written in a pod; undefined: nothing of it has a program. */
  podFiles(uid: string): PodFiles | undefined
  /** What a file of a pod's volume holds; undefined: there is no such file. */
  readFile(uid: string, volume: string, path: string): Later<string | undefined>
  /** The pod's object in the API has changed. */
  podChanged(uid: string): void
  /** Nothing of the pod is left. */
  podGone(uid: string): void
}
