import { quiet } from '../../../base/quiet.ts'

/** How tasks are carried out. */
export interface OrderedWork<T, R> {
  readonly work: (task: T) => Promise<R>
  /** How many may be under way at a time; it may change between tasks. */
  readonly atATime: () => number
  /** Tasks that follow from a result, and come next. Default: none. */
  readonly following?: (task: T, result: R) => readonly T[]
}

/** Carries tasks out, several at a time. Yields what came of each, in the order of the tasks. */
export async function* inOrder<T, R>(
  tasks: readonly T[],
  { work, atATime, following = () => [] }: OrderedWork<T, R>,
): AsyncGenerator<readonly [T, R]> {
  const left = [...tasks]
  const started: { readonly task: T; readonly result: Promise<R> }[] = []
  try {
    while (left.length > 0 || started.length > 0) {
      for (const task of left.splice(0, atATime() - started.length)) {
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
