import type { AndOr, Assignment, Command, CommandNode, CompoundList, ParsedScript, Pipeline, PipelineNode, Statement } from 'unbash'
import { parse } from 'unbash'
import type { Frame, RunningShell } from './builtin.ts'
import { BUILTINS } from './builtins/builtins.ts'
import { type Descriptor, type Descriptors, inputAt, isTerminal, redirect, sinkAt } from './descriptors.ts'
import { Killed, Leaving } from './flow.ts'
import { Jobs } from './processes/jobs.ts'
import { createPipe } from './processes/pipe.ts'
import type { Process } from './processes/process.ts'
import { runProgram } from './processes/run-program.ts'
import { signalExitCode } from './processes/signals.ts'
import { type FunctionBody, ShellError, type ShellState } from './shell-state.ts'
import { Slices } from './slices.ts'
import { evaluateTest } from './test-expression.ts'
import { collect, writeText } from './texts.ts'
import { type ExpansionContext, evaluateExpression, expandIndex, expandPattern, expandText, expandWords } from './words/expand.ts'
import { compilePattern } from './words/pattern.ts'

/** Functions that call functions, subshells in subshells. */
const DEEPEST = 200
/** What a command substitution may print. */
const MOST_SUBSTITUTED = 1 << 20

/** One shell, or subshell: it carries out what the parser has read. */
export class Shell implements RunningShell {
  readonly process: Process
  readonly state: ShellState
  readonly jobs: Jobs
  readonly #signal: AbortSignal
  readonly #depth: number
  readonly #slices: Slices
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
    slices?: Slices
  }) {
    this.process = from.process
    this.state = from.state
    this.#signal = from.signal
    this.#own = new Map(from.descriptors)
    this.#depth = from.depth ?? 0
    this.#slices = from.slices ?? new Slices(from.process.clock)
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
    return { descriptors: this.#own, asked: false }
  }

  /** A signal has come; the result says whether the shell goes on. */
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
    return this.#list(script.commands, frame)
  }

  complain(descriptors: Descriptors, message: string): Promise<void> {
    return writeText(sinkAt(descriptors, 2), `${this.state.name}: ${message}\n`).catch(() => {})
  }

  context(descriptors: Descriptors): ExpansionContext {
    return {
      state: this.state,
      files: this.process.files,
      main: this.process.container.main,
      isTerminal: (number) => isTerminal(descriptors.get(number)),
      substitute: async (script) => {
        const { text, status } = await this.#substitute(script, descriptors)
        this.state.status = status
        return text
      },
    }
  }

  /** What `exec` without a command leaves behind. */
  keep(descriptors: Descriptors): void {
    this.#own.clear()
    for (const [number, descriptor] of descriptors) this.#own.set(number, descriptor)
  }

  async #list(statements: readonly Statement[], frame: Frame): Promise<number> {
    for (const { command, background } of statements) {
      this.signal.throwIfAborted()
      await this.#slices.next(this.signal)
      if (background === true) await this.#inBackground(command, frame)
      else this.state.status = await this.#andOr(command, frame)
      await this.#runTraps(frame)
    }
    return this.state.status
  }

  async #runTraps(frame: Frame): Promise<void> {
    for (let signal = this.#arrived.shift(); signal !== undefined; signal = this.#arrived.shift()) {
      if (this.#arrived.length === 0) this.#interrupt = new AbortController()
      const action = this.state.traps.get(signal)
      const status = this.state.status
      if (action !== undefined) await this.runText(action, { ...frame, asked: true })
      this.state.status = status
    }
  }

  async #andOr(node: PipelineNode | AndOr, frame: Frame): Promise<number> {
    if (node.type !== 'AndOr') return this.#pipeline(node, frame)
    let status = 0
    for (const [i, command] of node.commands.entries()) {
      const operator = i === 0 ? undefined : node.operators[i - 1]
      if ((operator === '&&' && status !== 0) || (operator === '||' && status === 0)) continue
      status = await this.#pipeline(command, { ...frame, asked: frame.asked || i < node.commands.length - 1 })
      this.state.status = status
    }
    return status
  }

  async #pipeline(node: PipelineNode, frame: Frame): Promise<number> {
    if (node.type !== 'Pipeline') return this.#checked(await this.#command(node, frame), frame)
    const negated = node.prefixes.some((p) => p.type === 'Negation')
    const inner: Frame = negated ? { ...frame, asked: true } : frame
    const [only] = node.commands
    const began = this.process.clock.now()
    const status = node.commands.length === 1 && only !== undefined ? await this.#command(only, inner) : await this.#piped(node, inner)
    if (node.prefixes.some((p) => p.type === 'Time')) {
      const seconds = (this.process.clock.now() - began) / 1000
      await writeText(
        sinkAt(frame.descriptors, 2),
        `real\t${Math.floor(seconds / 60)}m${(seconds % 60).toFixed(3)}s\nuser\t0m0.000s\nsys\t0m0.000s\n`,
      )
    }
    return negated ? Number(status === 0) : this.#checked(status, frame)
  }

  /** `set -e`. */
  #checked(status: number, { asked }: Frame): number {
    if (status !== 0 && !asked && this.state.options.has('e')) throw new Leaving({ kind: 'exit', status })
    return status
  }

  /** Each in a subshell of its own, all at once. */
  async #piped(node: Pipeline, frame: Frame): Promise<number> {
    const pipes = node.commands.slice(1).map(() => createPipe())
    const statuses = await Promise.all(
      node.commands.map(async (command, i) => {
        const descriptors = new Map(frame.descriptors)
        const [before, after] = [pipes[i - 1], pipes[i]]
        if (before !== undefined) descriptors.set(0, { input: before.input })
        if (after !== undefined) descriptors.set(1, { sink: after.sink })
        if (after !== undefined && node.operators[i] === '|&') descriptors.set(2, { sink: after.sink })
        try {
          return await this.fork(descriptors).runNode(command)
        } finally {
          before?.input.close()
          await after?.sink.end()
        }
      }),
    )
    const last = statuses.at(-1) ?? 0
    return this.state.options.has('pipefail') ? (statuses.findLast((s) => s !== 0) ?? 0) : last
  }

  /** A shell inside of this one. */
  fork(descriptors: Descriptors, signal = this.signal): Shell {
    return new Shell({ process: this.process, state: this.state.fork(), descriptors, signal, depth: this.#depth + 1, slices: this.#slices })
  }

  /** Of a subshell: one command, and how it ended. */
  async runNode(command: PipelineNode | AndOr): Promise<number> {
    return this.#toItsEnd(() => this.#andOr(command, this.frame))
  }

  async #inBackground(command: PipelineNode | AndOr, frame: Frame): Promise<void> {
    const killer = new AbortController()
    const descriptors = new Map(frame.descriptors).set(0, {})
    const inner = this.fork(descriptors, AbortSignal.any([this.signal, killer.signal]))
    const entry = this.process.container.enter(this.process.argv, (signal) => {
      if (!inner.tell(signal)) killer.abort(new Killed(signal))
    })
    const done = inner
      .runNode(command)
      .catch((error: unknown) => {
        if (error instanceof Killed) return signalExitCode(`SIG${error.signal}`)
        if (this.signal.aborted) return signalExitCode('SIGKILL')
        throw error
      })
      .finally(() => entry[Symbol.dispose]())
    this.jobs.add(entry.pid, done)
    this.state.lastBackground = entry.pid
    this.state.status = 0
  }

  async #substitute(script: ParsedScript, descriptors: Descriptors): Promise<{ text: string; status: number }> {
    const pipe = createPipe()
    const inner = this.fork(new Map(descriptors).set(1, { sink: pipe.sink }))
    const [status, text] = await Promise.all([
      inner.#toItsEnd(() => inner.#list(script.commands, inner.frame)).finally(() => pipe.sink.end()),
      collect(pipe.input, MOST_SUBSTITUTED).finally(() => pipe.input.close()),
    ])
    return { text, status }
  }

  async #command(node: CommandNode, frame: Frame): Promise<number> {
    try {
      if (node.type === 'Command') return await this.#simple(node, frame)
      return await this.#compound(node, frame)
    } catch (error) {
      if (!(error instanceof ShellError) || error.exitCode !== 1) throw error
      // What could not be opened or read is the command's fault, not the shell's end.
      await this.complain(frame.descriptors, error.message)
      return 1
    }
  }

  async #compound(node: Exclude<CommandNode, Command> | FunctionBody, frame: Frame): Promise<number> {
    const list = (body: CompoundList, inner = frame) => this.#list(body.commands, inner)
    const holds = async (clause: CompoundList) => (await list(clause, { ...frame, asked: true })) === 0
    const context = this.context(frame.descriptors)
    switch (node.type) {
      case 'CompoundList':
        return list(node)
      case 'BraceGroup':
        return list(node.body)
      case 'Subshell':
        return this.fork(frame.descriptors).runNode({ ...node, type: 'BraceGroup' })
      case 'Redirected':
        return this.#compound(node.command, { ...frame, descriptors: await redirect(frame.descriptors, node.redirects, context) })
      case 'Function':
        this.state.functions.set(await expandText(node.name, context), node.body)
        return 0
      case 'If': {
        for (const { clause, then } of [node, ...node.elif]) if (await holds(clause)) return list(then)
        return node.else === undefined ? 0 : list(node.else)
      }
      case 'While':
        return this.#loop(async () => (await holds(node.clause)) === (node.kind === 'while'), node.body, frame)
      case 'For': {
        const values = node.wordlist === undefined ? [...this.state.positional] : await expandWords(node.wordlist, context)
        return this.#loop(
          async () => {
            const value = values.shift()
            if (value !== undefined) this.state.set(node.name.value, value)
            return value !== undefined
          },
          node.body,
          frame,
        )
      }
      case 'ArithmeticFor': {
        const value = (e: typeof node.test) => (e === undefined ? 1n : evaluateExpression(e, context))
        await value(node.initialize)
        return this.#loop(
          async () => (await value(node.test)) !== 0n,
          node.body,
          frame,
          async () => void (await value(node.update)),
        )
      }
      case 'Case': {
        const word = await expandText(node.word, context)
        let through = false
        for (const { pattern, body, terminator } of node.items) {
          let fits = through
          for (const p of pattern) fits ||= compilePattern(await expandPattern(p, context)).matches(word)
          if (!fits) continue
          const status = await list(body)
          if (terminator !== ';&' && terminator !== ';;&') return status
          through = terminator === ';&'
        }
        return 0
      }
      case 'TestCommand':
        return Number(!(await evaluateTest(node.expression, context)))
      case 'ArithmeticCommand':
        return node.expression === undefined ? 1 : Number((await evaluateExpression(node.expression, context)) === 0n)
      case 'Select':
      case 'Coproc':
        throw new ShellError(`${node.type.toLowerCase()}: not there in this shell`)
    }
  }

  async #loop(more: () => Promise<boolean>, body: CompoundList, frame: Frame, after = async () => {}): Promise<number> {
    let status = 0
    while (await more()) {
      await this.#slices.next(this.signal)
      try {
        status = await this.#list(body.commands, frame)
      } catch (error) {
        if (!(error instanceof Leaving) || (error.how.kind !== 'break' && error.how.kind !== 'continue')) throw error
        if (error.how.levels > 1) throw new Leaving({ ...error.how, levels: error.how.levels - 1 })
        status = 0
        if (error.how.kind === 'break') break
      }
      await after()
      await this.#runTraps(frame)
    }
    return status
  }

  async #simple(node: Command, frame: Frame): Promise<number> {
    const context = this.context(frame.descriptors)
    this.state.status = node.name === undefined ? 0 : this.state.status
    // `export A=b` assigns as an assignment does: without splitting.
    const words = [...(node.name === undefined ? [] : await expandWords([node.name], context))]
    for (const argument of node.args) {
      if (argument.type === 'Word') words.push(...(await expandWords([argument], context)))
      else words.push(`${argument.name}${argument.append === true ? '+' : ''}=${await this.#assigned(argument.value, context)}`)
    }
    const assignments: [string, string][] = []
    for (const part of node.prefix) {
      if (part.type !== 'Assignment') continue
      if (part.value.type === 'ArrayValue' || part.index !== undefined) {
        await this.#assignElements(part, context)
        continue
      }
      const value = await this.#assigned(part.value, context)
      assignments.push([part.name, part.append === true ? (this.state.get(part.name) ?? '') + value : value])
      if (words.length === 0) this.state.set(part.name, assignments.at(-1)?.[1] ?? '')
    }
    const descriptors = await redirect(frame.descriptors, node.redirects, context)
    if (this.state.options.has('x')) {
      const told = [...assignments.map(([n, v]) => `${n}=${v}`), ...words].join(' ')
      await writeText(sinkAt(frame.descriptors, 2), `+ ${told}\n`)
    }
    const [name, ...args] = words
    if (name === undefined) return this.state.status
    return this.call(name, args, { ...frame, descriptors }, assignments)
  }

  /** `a=(x y)`, `a+=(z)`, `a[1]=x`. */
  async #assignElements({ name, value, append = false, index }: Assignment, context: ExpansionContext): Promise<void> {
    if (value.type === 'ArrayValue') {
      const elements = await expandWords(value.elements, context)
      return this.state.setElements(name, append ? [...this.state.elements(name), ...elements] : elements)
    }
    if (index === undefined) return
    const at = await expandIndex(index, context)
    const before = append ? (this.state.elements(name)[at] ?? '') : ''
    this.state.setElement(name, at, before + (await expandText(value, context)))
  }

  #assigned(value: Parameters<typeof expandText>[0] | { readonly type: 'ArrayValue' }, context: ExpansionContext): Promise<string> {
    if (value.type === 'ArrayValue') throw new ShellError('an array cannot be given to a command')
    return expandText(value, context)
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
      return await this.#compound(body, frame)
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

  /** What is no part of the shell: a process of its own, which this one waits for. */
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
