import { inspect } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import { quiet } from '../../base/quiet.ts'
import { isDeadly, signalExitCode, signalName } from '../../shell/processes/signals.ts'
import { EndedError, ExitError, SignalError } from './exit-error.ts'
import { ProcessScope } from './process-scope.ts'
import type { ProgramOutput } from './program.ts'
import type { AnyProgram, ShippedProcess } from './shipped/shipped-process.ts'

export interface ProcessConfig {
  readonly clock: Clock
  /** The signal that stops the container. */
  readonly stopSignal: string
  readonly stderr: ProgramOutput
  /** Called before the program goes on. */
  readonly entered?: (() => void) | undefined
}

/** One program that runs: how it begins, what signals do to it, and how it ends. What it uses hangs on its scope. */
export class ProgramProcess {
  /** Never rejects. */
  readonly exit: Promise<number>
  /** It has opened a port, or has ended. */
  readonly listening: Promise<void>
  readonly scope: ProcessScope
  readonly #config: ProcessConfig
  readonly #signal = new AbortController()
  readonly #handlers = new Map<string, Set<() => void>>()
  readonly #ended: (code: number) => void
  readonly #listens: () => void
  /** It has looked at `signal`: what a signal means is its own affair. */
  #minds = false
  #over = false
  #returned = false
  #ports = 0

  constructor(config: ProcessConfig) {
    this.#config = config
    let ended: (code: number) => void = () => {}
    this.exit = new Promise((resolve) => {
      ended = resolve
    })
    this.#ended = ended
    const listening = Promise.withResolvers<void>()
    this.listening = listening.promise
    this.#listens = listening.resolve
    this.scope = new ProcessScope(config.clock, (error) => this.crash(error), config.entered)
  }

  get over(): boolean {
    return this.#over
  }

  /** The signal that the program sees. */
  get signal(): AbortSignal {
    this.#minds = true
    return this.#signal.signal
  }

  /** Begins with the program, in a later step. */
  start(program: AnyProgram, container: ShippedProcess): void {
    const run = async () => {
      await this.scope.step()
      return program(container)
    }
    run().then(
      (result) => {
        if (typeof result === 'number') return this.#finish(result & 255)
        this.#returned = true
        if (this.#ports === 0) this.#finish(0)
      },
      (error: unknown) => this.crash(error),
    )
  }

  /** A port is open: while there is one, the process runs on although its program has returned. */
  portOpened(): void {
    this.#ports++
    this.#listens()
  }

  portClosed(): void {
    this.#ports--
    if (this.#ports === 0 && this.#returned) this.#finish(0)
  }

  onSignal(text: string, handler: () => void): () => void {
    const name = signalName(text)
    const handlers = this.#handlers.get(name) ?? new Set()
    this.#handlers.set(name, handlers.add(handler))
    return () => {
      handlers.delete(handler)
    }
  }

  /** Sends a signal. */
  deliver(text: string): void {
    const name = signalName(text)
    if (this.#over) return
    if (name === 'SIGKILL') return void this.kill()
    const handlers = [...(this.#handlers.get(name) ?? [])]
    const stops = name === this.#config.stopSignal || name === 'SIGTERM' || name === 'SIGINT'
    if (stops) this.#signal.abort(new SignalError(name))
    for (const handler of handlers) this.#call(handler)
    if (handlers.length === 0 && !(stops && this.#minds) && isDeadly(name)) this.#finish(signalExitCode(name))
  }

  /** It ends now: nothing in this process can make it stop, but whatever it uses of its container rejects from here on. */
  kill(): void {
    this.#finish(signalExitCode('SIGKILL'))
  }

  /** Ends with this code, from inside. */
  leave(code: number): never {
    this.#finish(code & 255)
    throw new ExitError(code & 255)
  }

  /** An exception was not caught. */
  crash(error: unknown): void {
    if (this.#over) return
    if (error instanceof ExitError) return void this.#finish(error.exitCode)
    if (error instanceof SignalError) return void this.#finish(signalExitCode(error.signal))
    this.complain(error)
    this.#finish(1)
  }

  /** Prints what went wrong. */
  complain(error: unknown): void {
    if (this.#over || error instanceof EndedError) return
    const text = error instanceof Error ? inspect(error) : `Uncaught ${inspect(error)}`
    void quiet(this.#config.stderr.write(`${text}\n`), 'the log may have ended')
  }

  #call(handler: () => void): void {
    this.#config.entered?.()
    try {
      handler()
    } catch (error) {
      this.crash(error)
    }
  }

  #finish(code: number): void {
    if (this.#over) return
    this.#over = true
    this.scope.end()
    if (!this.#signal.signal.aborted) this.#signal.abort(new EndedError())
    this.#listens()
    this.#ended(code)
  }
}
