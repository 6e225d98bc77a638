import type { RunningProcess } from '../../shell/processes/process.ts'
import type { FileSystem } from '../volumes/file-system.ts'

interface Entry extends RunningProcess {
  readonly deliver: (signal: string) => void
  readonly files: FileSystem
  readonly by: ProcessList
}

/** As Kubernetes' `podPidsLimit` is often set; a kubelet has no limit of its own, but it does not run in the API server's process. */
export const MOST_PROCESSES = 1024

/** `fork` fails: there are as many processes as there may be. */
export class ProcessLimitError extends Error {
  override readonly name = 'ProcessLimitError'
  readonly code = 'EAGAIN'
  constructor() {
    super('Resource temporarily unavailable')
  }
}

/** Processes that see each other, by their numbers: those of one container, or of several (`shareProcessNamespace`). */
export class ProcessNamespace {
  readonly #running = new Map<number, Entry>()
  #last = 0
  #reserved = 0

  enter(entry: Omit<Entry, 'pid'>): number {
    const pid = ++this.#last
    this.#running.set(pid, { ...entry, pid })
    return pid
  }

  leave(pid: number): void {
    this.#running.delete(pid)
  }

  /** Processes, and subshells that are only counted. */
  get size(): number {
    return this.#running.size + this.#reserved
  }

  reserve(): Disposable {
    this.#reserved++
    return {
      [Symbol.dispose]: () => {
        this.#reserved--
      },
    }
  }

  find(pid: number): Entry | undefined {
    return this.#running.get(pid)
  }

  all(): readonly Entry[] {
    return [...this.#running.values()]
  }
}

/** The processes of one container, and those beside which they run. */
export class ProcessList {
  readonly #namespace: ProcessNamespace
  readonly #owner: { readonly files: FileSystem; readonly uid: number }

  constructor(namespace: ProcessNamespace, owner: { readonly files: FileSystem; readonly uid: number }) {
    this.#namespace = namespace
    this.#owner = owner
  }

  /** Gives a number to one that begins; `deliver` is called with signals (`SIGTERM`) that others send to it. */
  enter(began: Pick<RunningProcess, 'argv' | 'startedAtMs'>, deliver: (signal: string) => void): ListedProcess {
    const pid = this.#namespace.enter({ ...began, ...this.#owner, deliver, by: this })
    return { pid, [Symbol.dispose]: () => this.#namespace.leave(pid) }
  }

  /**
   * Called before a process starts another one; processes of the runtime are not counted.
   * @throws {ProcessLimitError}
   */
  requireRoom(): void {
    if (this.#namespace.size >= MOST_PROCESSES) throw new ProcessLimitError()
  }

  /**
   * Counts one that is not shown, until it is disposed of.
   * @throws {ProcessLimitError}
   */
  reserve(): Disposable {
    this.requireRoom()
    return this.#namespace.reserve()
  }

  /** All that can be seen, in the order in which they began. */
  list(): readonly RunningProcess[] {
    return this.#namespace.all()
  }

  /** Those of the container itself. */
  own(): readonly RunningProcess[] {
    return this.#namespace.all().filter(({ by }) => by === this)
  }

  /** What a process has for its files; undefined: there is no process of that number. */
  filesOf(pid: number): FileSystem | undefined {
    return this.#namespace.find(pid)?.files
  }

  /** False when there is no process of that number. */
  send(pid: number, signal: string): boolean {
    const found = this.#namespace.find(pid)
    found?.deliver(signal)
    return found !== undefined
  }
}

export interface ListedProcess extends Disposable {
  readonly pid: number
}
