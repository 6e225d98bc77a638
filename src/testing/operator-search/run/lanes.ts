import { quiet } from '../../../base/quiet.ts'

/** Limits how many runs are under way at a time. */
export class Lanes {
  readonly #count: () => number
  #busy = 0
  readonly #waiting: (() => void)[] = []

  /** `count` may change between runs. */
  constructor(count: () => number) {
    this.#count = count
  }

  /** Starts a run when there is a lane for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#busy >= this.#count()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#busy++
    try {
      return await work()
    } finally {
      this.#busy--
      // All of them look: there may be more lanes now.
      for (const look of this.#waiting.splice(0)) look()
    }
  }

  /**
   * Carries tasks out, as many at a time as there are lanes. Yields what came of each, in the order of the tasks. `following`: tasks that
   * follow from a result, and come next.
   */
  async *inOrder<T, R>(
    tasks: readonly T[],
    work: (task: T) => Promise<R>,
    following: (task: T, result: R) => readonly T[] = () => [],
  ): AsyncGenerator<readonly [T, R]> {
    const left = [...tasks]
    const started: { readonly task: T; readonly result: Promise<R> }[] = []
    try {
      while (left.length > 0 || started.length > 0) {
        for (const task of left.splice(0, this.#count() - started.length)) {
          const result = work(task)
          void quiet(result, 'it is awaited in its turn')
          started.push({ task, result })
        }
        const first = started.shift()
        if (first === undefined) continue
        const result = await first.result
        yield [first.task, result]
        left.unshift(...following(first.task, result))
      }
    } finally {
      await Promise.allSettled(started.map(({ result }) => result))
    }
  }
}
