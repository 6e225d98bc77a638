import type { AndOr, ParsedScript, PipelineNode, Statement } from 'unbash'
import { parse } from 'unbash'
import { quiet } from '../base/quiet.ts'
import type { Frame, InnerShell } from './builtin.ts'
import { BUILTINS } from './builtins/builtins.ts'
import { runCompound } from './compound-command.ts'
import { type Descriptor, type Descriptors, inputAt, isTerminal, sinkAt } from './descriptors.ts'
import { Leaving } from './flow.ts'
import { Jobs } from './processes/jobs.ts'
import { COMMAND_WORK } from './processes/pacer.ts'
import { createPipe } from './processes/pipe.ts'
import type { Process } from './processes/process.ts'
import { runProgram } from './processes/run-program.ts'
import { signalExitCode } from './processes/signals.ts'
import { type FunctionBody, ShellError, type ShellState } from './shell-state.ts'
import { runAndOr, runStatements } from './statements.ts'
import { collect, writeText } from './texts.ts'
import type { ExpansionContext } from './words/expand.ts'

/** Functions that call functions, subshells in subshells. */
const DEEPEST = 200
/** What a command substitution may print. */
const MOST_SUBSTITUTED = 1 << 20

/** One shell, or subshell: it carries out what the parser has read. */
export class Shell implements InnerShell {
  readonly process: Process
  readonly state: ShellState
  readonly jobs: Jobs
  readonly #signal: AbortSignal
  readonly #depth: number
  /** Signals with a trap that have come and were not looked at. */
  readonly #arrived: string[] = []
  #interrupt = new AbortController()
  /** Of the line of a person that runs. */
  #line: AbortSignal | undefined
  /** What its commands begin with; `exec` changes it for good. */
  readonly #own: Map<number, Descriptor>

  constructor(from: {
    process: Process
    state: ShellState
    descriptors: Descriptors
    signal: AbortSignal
    depth?: number
  }) {
    this.process = from.process
    this.state = from.state
    this.#signal = from.signal
    this.#own = new Map(from.descriptors)
    this.#depth = from.depth ?? 0
    this.jobs = new Jobs()
    if (this.#depth > DEEPEST) throw new ShellError('too many shells inside of each other')
  }

  /** Aborted when the shell, or the line that it runs for a person, is to end. */
  get signal(): AbortSignal {
    return this.#line ?? this.#signal
  }

  /** Aborted when a signal with a trap comes: `wait` and `read` look at it. */
  get interrupted(): AbortSignal {
    return AbortSignal.any([this.signal, this.#interrupt.signal])
  }

  /** Where its commands begin. */
  get frame(): Frame {
    return { descriptors: this.#own, requested: false }
  }

  /** A signal was received; the result is whether the shell continues. */
  tell(signal: string): boolean {
    const action = this.state.traps.get(signal)
    if (action === undefined || signal === 'KILL') return false
    if (action !== '') {
      this.#arrived.push(signal)
      this.#interrupt.abort()
    }
    return true
  }

  /** Runs one line of a person, which a signal of the keyboard ends, and not the shell. */
  async line(signal: AbortSignal, run: () => Promise<number>): Promise<number> {
    this.#line = AbortSignal.any([this.#signal, signal])
    try {
      return await run()
    } catch (error) {
      if (error instanceof ShellError) {
        await this.complain(this.#own, error.message)
        return error.exitCode
      }
      this.#signal.throwIfAborted()
      if (!signal.aborted) throw error
      return signalExitCode('SIGINT')
    } finally {
      this.#line = undefined
    }
  }

  /** Runs its work to the end, `EXIT` trap included; resolves with the status. */
  async main(work: () => Promise<number>): Promise<number> {
    this.state.status = await this.#toItsEnd(work)
    const last = this.state.traps.get('EXIT')
    this.state.traps.delete('EXIT')
    if (last === undefined || last === '') return this.state.status
    const status = this.state.status
    const ended = await this.#toItsEnd(async () => {
      await this.runText(last, this.frame)
      return status
    })
    return ended
  }

  async #toItsEnd(run: () => Promise<number>): Promise<number> {
    try {
      return await run()
    } catch (error) {
      if (error instanceof Leaving) return 'status' in error.how ? error.how.status : this.state.status
      if (!(error instanceof ShellError)) throw error
      await this.complain(this.#own, error.message)
      return error.exitCode
    }
  }

  /** @throws {ShellError} for a text that is no script */
  async runText(source: string, frame: Frame): Promise<number> {
    const script = parse(source)
    const [fault] = script.errors ?? []
    if (fault !== undefined) throw new ShellError(`syntax error: ${fault.message}`)
    return this.list(script.commands, frame)
  }

  async complain(descriptors: Descriptors, message: string): Promise<void> {
    await quiet(writeText(sinkAt(descriptors, 2), `${this.state.name}: ${message}\n`), 'stderr may be closed')
  }

  context(descriptors: Descriptors): ExpansionContext {
    return {
      state: this.state,
      files: this.process.files,
      main: this.process.container.main,
      run: (steps) => this.process.pacer.run(steps, this.signal),
      isTerminal: (number) => isTerminal(descriptors.get(number)),
      substitute: async (script) => {
        const { text, status } = await this.#substitute(script, descriptors)
        this.state.status = status
        return text
      },
    }
  }

  list(statements: readonly Statement[], frame: Frame): Promise<number> {
    return runStatements(this, statements, frame)
  }

  /** Gives others their turn, now and then. */
  rest(): Promise<void> {
    return this.process.pacer.spend(COMMAND_WORK, this.signal)
  }

  /** What `exec` without a command leaves behind. */
  keep(descriptors: Descriptors): void {
    this.#own.clear()
    for (const [number, descriptor] of descriptors) this.#own.set(number, descriptor)
  }

  /** Carries out the traps of signals that have come. */
  async runTraps(frame: Frame): Promise<void> {
    for (let signal = this.#arrived.shift(); signal !== undefined; signal = this.#arrived.shift()) {
      if (this.#arrived.length === 0) this.#interrupt = new AbortController()
      const action = this.state.traps.get(signal)
      const status = this.state.status
      if (action !== undefined) await this.runText(action, { ...frame, requested: true })
      this.state.status = status
    }
  }

  /** A shell inside of this one. */
  fork(descriptors: Descriptors, signal = this.signal): Shell {
    return new Shell({ process: this.process, state: this.state.fork(), descriptors, signal, depth: this.#depth + 1 })
  }

  /** Of a subshell: one command, and how it ended. */
  runNode(command: PipelineNode | AndOr): Promise<number> {
    return this.main(() => runAndOr(this, command, this.frame))
  }

  async #substitute(script: ParsedScript, descriptors: Descriptors): Promise<{ text: string; status: number }> {
    const pipe = createPipe()
    const inner = this.fork(new Map(descriptors).set(1, { sink: pipe.sink }))
    const [status, text] = await Promise.all([
      inner.main(() => inner.list(script.commands, inner.frame)).finally(() => pipe.sink.end()),
      collect(pipe.input, MOST_SUBSTITUTED).finally(() => pipe.input.close()),
    ])
    return { text, status }
  }

  /** A function, a builtin, or a program: in this order. */
  async call(
    name: string,
    args: readonly string[],
    frame: Frame,
    assignments: readonly (readonly [string, string])[] = [],
  ): Promise<number> {
    const body = this.state.functions.get(name)
    const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined
    if (body === undefined && builtin === undefined) return this.program(name, args, frame.descriptors, assignments)
    const before = assignments.map(([n]) => [n, this.state.variables.get(n)] as const)
    for (const [n, value] of assignments) this.state.set(n, value, { exported: true })
    try {
      if (body === undefined) return (await builtin?.(this, args, frame)) ?? 0
      return await this.#callFunction(body, args, frame)
    } finally {
      for (const [n, value] of before) {
        if (value === undefined) this.state.variables.delete(n)
        else this.state.variables.set(n, value)
      }
    }
  }

  async #callFunction(body: FunctionBody, args: readonly string[], frame: Frame): Promise<number> {
    const { state } = this
    if (state.hidden.length > DEEPEST) throw new ShellError('functions call each other too deep')
    const outer = state.positional
    const hidden = new Map()
    state.positional = args
    state.hidden.push(hidden)
    try {
      return await runCompound(this, body, frame)
    } catch (error) {
      if (error instanceof Leaving && error.how.kind === 'return') return error.how.status
      throw error
    } finally {
      state.hidden.pop()
      state.positional = outer
      for (const [name, value] of hidden) {
        if (value === undefined) state.variables.delete(name)
        else state.variables.set(name, value)
      }
    }
  }

  /** Runs an external program in a process, and waits for it. */
  program(
    name: string,
    args: readonly string[],
    descriptors: Descriptors,
    assignments: readonly (readonly [string, string])[] = [],
  ): Promise<number> {
    return runProgram([name, ...args], {
      ...this.process,
      environment: this.state.environment(assignments),
      directory: this.state.directory,
      stdin: inputAt(descriptors),
      stdout: sinkAt(descriptors, 1),
      stderr: sinkAt(descriptors, 2),
      signal: this.signal,
    })
  }
}
