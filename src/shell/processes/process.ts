import type { Clock } from '../../base/clock.ts'
import type { Later } from '../../base/steps.ts'
import type { ByteSink } from '../../machinery/streams.ts'
import type { Pacer } from './pacer.ts'

/** The input of a process: in chunks; unread bytes can be returned for the next reader. */
export interface Input {
  /** The next piece; undefined at the end. Rejects with the signal's reason when it is aborted first: nothing is lost then. */
  read(signal?: AbortSignal): Promise<Uint8Array | undefined>
  unread(bytes: Uint8Array): void
  /** Where it comes from a terminal. */
  readonly terminal?: Terminal
}

/** What a person sits at. */
export interface Terminal {
  /** The size that the client sent last, in characters; 0: none was sent. */
  size: { readonly width: number; readonly height: number }
  /** What is typed is shown. */
  echo: boolean
  /** Canonical mode: lines are passed on when they are complete, and can be edited until then; keys send signals. */
  canonical: boolean
}

export type FileKind = 'file' | 'directory' | 'link' | 'device'

export interface FileStatus {
  readonly kind: FileKind
  readonly sizeBytes: number
  /** Permission bits: 0o644, with those of `set user`, `set group` and `sticky`. */
  readonly mode: number
  readonly modifiedAtMs: number
  readonly uid: number
  readonly gid: number
}

/**
 * The files that a process sees. Paths are absolute and without `.` and `..`; what fails rejects with an error that has a `code` as
 * `node:fs` has them (`ENOENT`).
 */
export interface FileSystem {
  /** Undefined if there is no file; links are followed. */
  status(path: string): Promise<FileStatus | undefined>
  read(path: string): Promise<Uint8Array>
  /** Creates the file if it does not exist (its folder must exist). */
  write(path: string, bytes: Uint8Array, options?: { readonly append?: boolean; readonly mode?: number }): Promise<void>
  /** Names in a folder, sorted. */
  list(path: string): Promise<readonly string[]>
  makeDirectory(path: string, mode?: number): Promise<void>
  /** A file, or a folder that is empty. */
  remove(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  changeMode(path: string, mode: number): Promise<void>
  makeLink(target: string, path: string): Promise<void>
  readLink(path: string): Promise<string>
}

/** What one process of a container is given. */
export interface Process {
  readonly pid: number
  /** As it was called, and its arguments. */
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly stdin: Input
  readonly stdout: ByteSink
  readonly stderr: ByteSink
  readonly files: FileSystem
  readonly clock: Clock
  /** Shared with the processes that it starts. */
  readonly pacer: Pacer
  /** Aborted when the process is killed: it must end then, and nothing it still does is seen. */
  readonly signal: AbortSignal
  readonly container: ProcessTable
  /** The handler returns for each signal whether the process continues; without a handler every signal kills. `KILL` cannot be caught. */
  catchSignals(caught: (signal: string) => boolean): void
}

/** What programs of one container share. */
export interface ProcessTable {
  readonly hostname: string
  /** `groups`: all of them, the first of them `gid`. */
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] }
  /** The program of that name, if the image has it. */
  find(name: string): Program | undefined
  /**
   * Assigns a number to a process with these arguments; `tell` is called with signals that are sent to it (`TERM`). Throws an error with
   * the code `EAGAIN` if the container has the maximum of processes.
   */
  enter(argv: readonly string[], tell: (signal: string) => void): ProcessEntry
  /** Counts a subshell that no list of processes shows: a real shell becomes the command there. Throws as `enter` does. */
  reserve(): Disposable
  /** False when there is no such process. */
  send(pid: number, signal: string): boolean
  readonly machine: Machine
  /** What the container's main process prints to. */
  readonly main?: { readonly stdout: ByteSink; readonly stderr: ByteSink }
}

/** The properties of the simulated machine that programs can read. */
export interface Machine {
  readonly cpus: number
  readonly memoryBytes: number
  readonly startedAtMs: number
  /** Of the pod, without loopback. */
  readonly ips: readonly string[]
  /** With the domain, where it has one. */
  readonly fullName: string
  processes(): readonly RunningProcess[]
  /** The mounts; the container's own files are at `/`. */
  mounts(): readonly MountStatus[]
  randomBytes(count: number): Uint8Array
  /** Ports that are open. */
  ports(): readonly { readonly ip: string; readonly port: number }[]
}

export interface RunningProcess {
  readonly pid: number
  /** Whose it is. */
  readonly uid: number
  readonly argv: readonly string[]
  readonly startedAtMs: number
}

export interface MountStatus {
  readonly path: string
  readonly source: string
  /** `overlay`, `tmpfs`, `proc`. */
  readonly kind: string
  readonly readOnly: boolean
  readonly usedBytes: number
  readonly limitBytes: number
}

export interface ProcessEntry extends Disposable {
  readonly pid: number
}

/** Resolves with the exit code, 0 to 255. */
export type Program = (process: Process) => Later<number>
