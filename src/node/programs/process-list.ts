/** The processes of one container, by their numbers: 1 is its main one. */
export class ProcessList {
  readonly #deliver = new Map<number, (signal: string) => void>()
  #last = 0

  /** Gives a number to one that begins; `deliver` is called with signals (`SIGTERM`) that others send to it. */
  enter(deliver: (signal: string) => void): ListedProcess {
    const pid = ++this.#last
    this.#deliver.set(pid, deliver)
    return { pid, [Symbol.dispose]: () => void this.#deliver.delete(pid) }
  }

  /** False when there is no process of that number. */
  send(pid: number, signal: string): boolean {
    const deliver = this.#deliver.get(pid)
    deliver?.(signal)
    return deliver !== undefined
  }
}

export interface ListedProcess extends Disposable {
  readonly pid: number
}
