import type { ByteDuplex, ProcessStreams } from '../../../machinery/streams.ts'
import type { ContainerLog } from '../container-log.ts'
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

/** What a container's main process does. It says itself when it has ended; `over` says that it was ended. */
export interface Play {
  begin(end: (exit: SimulatedExit) => void): void
  /** It is asked to stop. */
  ask(): void
  /** It runs no more, whatever it does. */
  over(): void
  /** How it is told that it was killed. */
  killed(exitCode: number): SimulatedExit
}

/** A container that programs can run in. */
export interface OpenedContainer extends SimulatedContainer {
  readonly id: string
  readonly log: ContainerLog
  readonly ips: readonly string[]
  /** Who it runs as; `groups`: all of them, the first of them `gid`. */
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] }
  /** As they hold now. */
  readonly resources: () => ContainerResources
  /** Ends its main process with this code. */
  readonly end: (exitCode: number) => void
  /** What the script says of it. */
  readonly behaviour: Behaviour
}

/** A command that was found, and not run yet. Aborting the signal kills it. */
export type RunCommand = (streams: ProcessStreams, signal: AbortSignal) => Promise<{ readonly exitCode: number }>

/** What programs do in one container. */
export interface PlayedContainer {
  /** Its main process; undefined: the script plays it. */
  readonly main: Play | undefined
  /** Undefined: no program of the container has this name. `unattended`: a probe or a hook runs it, not a person. */
  command(words: readonly string[], by: { readonly unattended: boolean }): RunCommand | undefined
  /** Begins what answers its ports in place of a main process that a script plays; resolves when it does. */
  standIn(): Promise<void>
  /** Joins the main process. */
  attach(streams: ProcessStreams, signal: AbortSignal): Promise<void>
  /** The container has ended: nothing of it runs any more. */
  close(): void
}

/** Programs of this process that run in a node's containers, in place of the script. */
export interface ContainerPrograms {
  /** Whether the main process of this container is a program; `shipped`: also one that comes along. Asked at each start: cheap. */
  plays(container: SimulatedContainer, shipped: boolean): boolean
  /** Whether somebody may run this command in the container, whoever plays its main process. Cheap. */
  knows(command: readonly string[]): boolean
  /** Whether connections to this container, whose main process a script plays, have somebody who answers. Cheap. */
  standsIn(container: SimulatedContainer): boolean
  /** Makes ready what programs need there. Rejects with a `RuntimeError` when they cannot be had. */
  open(container: OpenedContainer): Promise<PlayedContainer>
  /** The network of programs, for a port at which one listens; with `all`, for every port of an address behind which nothing else runs. */
  networkAt(ip: string, port: number, all: boolean): PodNetwork | undefined
  /** Joins a client to a port inside a pod; undefined: no program of it listens anywhere. */
  forward(ips: readonly string[], port: number, connection: ByteDuplex): Promise<void> | undefined
  /** A pod's network is there no more. */
  networkGone(ips: readonly string[]): void
  /** What programs have written in a pod; undefined: nothing of it has a program. */
  podFiles(uid: string): PodFiles | undefined
  /** The API has the pod otherwise than before. */
  podChanged(uid: string): void
  /** Nothing of the pod is left. */
  podGone(uid: string): void
}
