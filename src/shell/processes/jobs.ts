import { quiet } from '../../base/quiet.ts'
/** What runs in the background of one shell. */
export class Jobs {
  readonly #running = new Map<number, Promise<number>>()

  add(pid: number, done: Promise<number>): void {
    void quiet(done, '`wait` reports it; without one it must not end the process')
    this.#running.set(pid, done)
  }

  get pids(): readonly number[] {
    return [...this.#running.keys()]
  }

  /** How that one ended; undefined when there is none of that number. It is forgotten then. */
  async wait(pid: number, until: (done: Promise<number>) => Promise<number>): Promise<number | undefined> {
    const done = this.#running.get(pid)
    if (done === undefined) return undefined
    const status = await until(done)
    this.#running.delete(pid)
    return status
  }
}
