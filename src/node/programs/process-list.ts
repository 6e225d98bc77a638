import type { RunningProcess } from '../../shell/processes/process.ts'

/** The processes of one container, by their numbers: 1 is its main one. */
export class ProcessList {
  readonly #running = new Map<number, RunningProcess & { deliver(signal: string): void }>()
  #last = 0

  /** Gives a number to one that begins; `deliver` is called with signals (`SIGTERM`) that others send to it. */
  enter(began: Omit<RunningProcess, 'pid'>, deliver: (signal: string) => void): ListedProcess {
    const pid = ++this.#last
    this.#running.set(pid, { ...began, pid, deliver })
    return { pid, [Symbol.dispose]: () => void this.#running.delete(pid) }
  }

  /** Those that run, in the order in which they began. */
  list(): readonly RunningProcess[] {
    return [...this.#running.values()]
  }

  /** False when there is no process of that number. */
  send(pid: number, signal: string): boolean {
    const found = this.#running.get(pid)
    found?.deliver(signal)
    return found !== undefined
  }
}

export interface ListedProcess extends Disposable {
  readonly pid: number
}
