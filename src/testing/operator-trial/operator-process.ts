import { type ChildProcess, spawn } from 'node:child_process'
import { systemClock } from '../../base/clock.ts'

/** An operator as a program. `{kubeconfig}` in its words stands for the file's path, which is in `KUBECONFIG` too. */
export interface OperatorProgram {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** How much of what it said last is kept. */
const TAIL_LENGTH = 2000

/** A program that is killed and started again. */
export class OperatorProcess {
  /** Which run it is; the first is 1. */
  life = 0
  readonly #program: OperatorProgram
  readonly #kubeconfig: string
  #child: ChildProcess | undefined
  #said = ''

  constructor(program: OperatorProgram, kubeconfig: string) {
    this.#program = program
    this.#kubeconfig = kubeconfig
  }

  start(): void {
    const [file = '', ...words] = this.#program.command.map((word) => word.replaceAll('{kubeconfig}', this.#kubeconfig))
    const { env = {}, cwd } = this.#program
    this.life++
    // A process group of its own: what it starts ends with it.
    const child = spawn(file, words, {
      env: { ...process.env, ...env, KUBECONFIG: this.#kubeconfig },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    })
    this.#child = child
    const hear = (part: Buffer) => {
      this.#said = (this.#said + part.toString()).slice(-TAIL_LENGTH)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('error', (error) => hear(Buffer.from(`${error.message}\n`)))
  }

  /** The last of what it has printed. */
  get said(): string {
    return this.#said.trim()
  }

  get running(): boolean {
    const child = this.#child
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** Tells it to end; resolves with whether it did in time. It is killed if not. */
  async stop(patienceMs: number): Promise<boolean> {
    const late = systemClock.sleep(patienceMs).then(() => false)
    const ended = await Promise.race([this.#end('SIGTERM').then(() => true), late])
    if (!ended) await this.kill()
    return ended
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
