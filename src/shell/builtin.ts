import type { AndOr, PipelineNode, Statement } from 'unbash'
import type { Descriptors } from './descriptors.ts'
import type { Jobs } from './processes/jobs.ts'
import type { Process } from './processes/process.ts'
import type { ShellState } from './shell-state.ts'
import type { ExpansionContext } from './words/expand.ts'

/** What holds while a command runs. */
export interface Frame {
  readonly descriptors: Descriptors
  /** The command is a condition: its failure does not end the shell under `set -e`. */
  readonly requested: boolean
}

/** A shell, as its own commands see it. */
export interface RunningShell {
  readonly process: Process
  readonly state: ShellState
  readonly jobs: Jobs
  readonly signal: AbortSignal
  /** Aborted when a signal with a trap comes: `wait` looks at it. */
  readonly interrupted: AbortSignal
  context(descriptors: Descriptors): ExpansionContext
  /** @throws {ShellError} for a text that is no script */
  runText(source: string, frame: Frame): Promise<number>
  /** A function, a builtin, or a program: in this order. */
  call(name: string, args: readonly string[], frame: Frame): Promise<number>
  /** Runs an external program in a process, and waits for it. */
  program(name: string, args: readonly string[], descriptors: Descriptors): Promise<number>
  /** What `exec` without a command leaves behind. */
  keep(descriptors: Descriptors): void
}

/** The shell as its builtins and evaluators see it. */
export interface InnerShell extends RunningShell {
  list(statements: readonly Statement[], frame: Frame): Promise<number>
  call(name: string, args: readonly string[], frame: Frame, assignments?: readonly (readonly [string, string])[]): Promise<number>
  complain(descriptors: Descriptors, message: string): Promise<void>
  /** Carries out the traps of signals that have come. */
  runTraps(frame: Frame): Promise<void>
  /** Gives others their turn, now and then. */
  rest(): Promise<void>
  /** A shell inside of this one. */
  fork(descriptors: Descriptors, signal?: AbortSignal): Subshell
}

/** A subshell: it runs one command, and receives signals. */
interface Subshell {
  /** How the command ended. */
  runNode(command: PipelineNode | AndOr): Promise<number>
  /** A signal was received; the result is whether the shell continues. */
  tell(signal: string): boolean
}

/** A command of the shell itself. */
export type Builtin = (shell: RunningShell, args: readonly string[], frame: Frame) => Promise<number>
