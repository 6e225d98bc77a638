import { type ChildProcess, spawn } from 'node:child_process'
import { systemClock } from '../../../base/clock.ts'
import { giveUncountedTurn } from '../../../base/turns.ts'
import { killAllWith, programsWith, type RunningProgram } from './running-programs.ts'

/**
 * An operator as a program. In its arguments, `{kubeconfig}` is replaced by the file's path, which is in `KUBECONFIG` too, and `{certs}` by
 * the folder with `tls.crt` and `tls.key` of its webhooks.
 */
export interface OperatorProgram {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /**
   * The namespace of a pod in which it runs, as it believes: it gets no kubeconfig, but the files of a service account, the API server's
   * address, and `POD_NAME` and `POD_NAMESPACE`. Linux alone, with namespaces for its user. Default: it runs outside of the cluster.
   */
  readonly inCluster?: string
}

/** Where a program finds what is its own. */
export interface OperatorPaths {
  readonly kubeconfig: string
  readonly certs: string
}

/** How much of its last output is kept. */
const TAIL_LENGTH = 4000
/** How long processes may outlive the program that started them: a wrapper does not wait for the program it wraps. */
const AFTERMATH_MS = 1000

/** A program that is killed and started again, with all that it starts. */
export class OperatorProcess {
  /** Which run it is; the first is 1. */
  life = 0
  readonly #program: OperatorProgram
  readonly #places: OperatorPaths
  #child: ChildProcess | undefined
  #ended = Promise.withResolvers<void>()
  #output = ''
  #failed: Error | undefined

  constructor(program: OperatorProgram, places: OperatorPaths) {
    this.#program = program
    this.#places = places
  }

  start(): void {
    const { kubeconfig, certs } = this.#places
    const fill = (word: string) => word.replaceAll('{kubeconfig}', kubeconfig).replaceAll('{certs}', certs)
    const [file = '', ...words] = this.#program.command.map(fill)
    const { env = {}, cwd } = this.#program
    this.life++
    // A process group, so that all processes that it starts end with it.
    const child = spawn(file, words, {
      env: { ...process.env, ...env, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    })
    this.#child = child
    this.#failed = undefined
    const ended = Promise.withResolvers<void>()
    this.#ended = ended
    // Its last output comes with its end.
    child.once('exit', () => void giveUncountedTurn().then(ended.resolve))
    const append = (part: Buffer) => {
      this.#output = (this.#output + part.toString()).slice(-TAIL_LENGTH)
    }
    child.stdout.on('data', append)
    child.stderr.on('data', append)
    child.on('error', (error) => {
      this.#failed = error
      ended.resolve()
    })
  }

  /** Resolves when the present run has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The end of its output. */
  get output(): string {
    return this.#output.trim()
  }

  get running(): boolean {
    const child = this.#child
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** How it ended, as a text, with its last output. */
  get end(): string {
    const child = this.#child
    const how = this.#failed?.message ?? (child?.signalCode ? `by ${child.signalCode}` : `with exit code ${child?.exitCode ?? '?'}`)
    const left = this.left()
    const daemon = left.length === 0 ? '' : `; what it started still runs (${named(left)}): an operator stays in the foreground`
    return `it has ended${this.#failed ? ':' : ''} ${how}${daemon}${this.#failed ? '' : `: ${whyOf(this.output) || 'it said nothing'}`}`
  }

  /** Processes that it started, and those that run without it. */
  left(): RunningProgram[] {
    return programsWith(this.#places.kubeconfig)
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
    killAllWith(this.#places.kubeconfig)
  }

  /** As `kill`, for a process that exits and can wait for nothing. */
  killAtOnce(): void {
    void this.#end('SIGKILL')
    killAllWith(this.#places.kubeconfig)
  }

  /** Sends SIGTERM, and resolves with what was wrong with its end; it is killed if it does not end in time. */
  async stop(patienceMs: number): Promise<string | undefined> {
    const late = systemClock.sleep(patienceMs).then(() => false)
    const ended = await Promise.race([this.#end('SIGTERM').then(() => true), late])
    const endMs = systemClock.monotonic() + AFTERMATH_MS
    while (ended && this.left().length > 0 && systemClock.monotonic() < endMs) await systemClock.sleep(50)
    const left = this.left()
    await this.kill()
    if (!ended) return `it still ran ${patienceMs / 1000} seconds after SIGTERM`
    return left.length === 0 ? undefined : `it ended, and left running: ${named(left)}`
  }

  #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
    const { pid } = child
    return new Promise((resolve) => {
      child.once('exit', () => resolve())
      try {
        process.kill(-pid, signal)
      } catch {
        resolve() // it ended in this moment
      }
    })
  }
}

const named = (left: readonly RunningProgram[]) =>
  left
    .slice(0, 3)
    .map(({ pid, command }) => `${command.slice(0, 80)} (${pid})`)
    .join(', ')

/** The messages of all languages for a port that is in use. */
const PORT_TAKEN = /^.*(?:address already in use|EADDRINUSE|BindException|Only one usage of each socket address).*$/im

/** Enough of the output to see the reason; the rest of a long stack adds nothing. */
function whyOf(output: string): string {
  const taken = PORT_TAKEN.exec(output)?.[0]
  return taken === undefined ? output.split('\n').slice(-12).join('\n') : `${OTHERS_PORT}: ${taken.trim()}`
}

const OTHERS_PORT = 'a port that it wants belongs to another program of this machine'

/** Whether a program ended because its port was in use. `end`: as `OperatorProcess.end` reports it. */
export const wantedOthersPort = (end: string): boolean => end.includes(OTHERS_PORT)
