import { giveTurn } from './turns.ts'

/** A value, now or later: a value that is present is not awaited, because each await costs a promise and a turn of its queue. */
export type Later<T> = T | Promise<T>

/** Continues with a value: now if it is present, else when it comes. */
export function andThen<T, R>(value: Later<T>, next: (value: T) => Later<R>): Later<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** All values: now if they are present. */
export const allOf = <T>(values: readonly Later<T>[]): Later<readonly T[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[])

/** Runs the work, and calls `ended` when it has ended, with its error if it failed. */
export function whenEnded<T>(work: () => Later<T>, ended: (error?: unknown) => void): Later<T> {
  let value: Later<T>
  try {
    value = work()
  } catch (error) {
    ended(error)
    throw error
  }
  if (value instanceof Promise) return noted(value, ended)
  ended()
  return value
}

/** A function of its own: closures would cost those a context whose work ends at once. */
const noted = <T>(value: Promise<T>, ended: (error?: unknown) => void): Promise<T> =>
  value.then(
    (done) => {
      ended()
      return done
    },
    (error: unknown) => {
      ended(error)
      throw error
    },
  )

/** Work with points at which it may be interrupted: it yields there; it yields a promise to wait for it. The return type of generators. */
export interface Steps<T> {
  next(): IteratorResult<Later<void>, T>
  [Symbol.iterator](): Steps<T>
}

/** As much work as is done in one turn, in values that are looked at and copied: of a microsecond each, or a few. */
const WORK_PER_TURN = 6000

/** Counts the work done, and yields after a turn's worth. The maximum work of a turn is defined here, once for all. */
export class Pace {
  #left = WORK_PER_TURN

  /** Counts work that cannot be interrupted: the next `due` includes it. */
  spend(work: number): void {
    this.#left -= work
  }

  /** The turn's worth is done: `due` will say so. */
  get spent(): boolean {
    return this.#left <= 0
  }

  /** Counts so much; true: others are to have a turn now. */
  due(work = 1): boolean {
    this.#left -= work
    if (this.#left > 0) return false
    this.#left = WORK_PER_TURN
    return true
  }
}

/** Does all of it now. @throws {Error} where it would have to wait for others */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (step.value !== undefined) throw new Error('this work has to wait for others: it cannot be done at once')
  }
}

/** Does it now, as far as it need not wait for others. */
export function promptly<T>(steps: Steps<T>): Later<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (step.value !== undefined) return step.value.then(() => promptly(steps))
  }
}

/** Handles each item, one after the other: synchronously, as long as no promise has to be awaited. */
export function inOrder<T>(items: readonly T[], work: (item: T) => Later<void>, from = 0): Later<void> {
  for (let i = from; i < items.length; i++) {
    const pending = work(items[i] as T)
    if (pending === undefined) continue
    // A closure here would cost a context for every item.
    return i + 1 === items.length ? pending : restAfter(pending, items, work, i + 1)
  }
}

const restAfter = <T>(pending: Promise<void>, items: readonly T[], work: (item: T) => Later<void>, from: number): Promise<void> =>
  pending.then(() => inOrder(items, work, from))

/**
 * Does it with a turn of the event loop for others wherever it may be interrupted.
 * @throws the reason of the signal, at the first such point after it was aborted
 */
export async function inTurns<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await (step.value ?? giveTurn())
    signal?.throwIfAborted()
  }
}

/** Does it now, if it ends before it may be interrupted; else in turns. */
export function soonOrInTurns<T>(steps: Steps<T>): Later<T> {
  const step = steps.next()
  if (step.done === true) return step.value
  return (step.value ?? giveTurn()).then(() => inTurns(steps))
}

/** Work that is done already: `yield*` of it costs less than a generator does. */
class Arrived<T> implements Steps<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  [Symbol.iterator](): Steps<T> {
    return this
  }

  next(): IteratorResult<Later<void>, T> {
    return { done: true, value: this.#value }
  }
}

/** A value as the result of steps: work continues with it when it is present. */
export const arrival = <T>(given: Later<T>): Steps<T> => (given instanceof Promise ? awaited(given) : new Arrived(given))

function* awaited<T>(given: Promise<T>): Steps<T> {
  const seen: { result?: { readonly value: T } | { readonly error: unknown } } = {}
  yield given.then(
    (value) => {
      seen.result = { value }
    },
    (error: unknown) => {
      seen.result = { error }
    },
  )
  if (seen.result === undefined) throw new Error('invariant: who runs steps awaits what they yield')
  if ('error' in seen.result) throw seen.result.error
  return seen.result.value
}

/** So many items that are compared at once are sorted, or put between others, in one step. */
const SORTED_PER_STEP = 4096

/** The items in order, as `toSorted` has them, in steps. `perStep`: how many items make a step; fewer where they take long to compare. */
export function* sortedInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number, perStep = SORTED_PER_STEP): Steps<T[]> {
  let runs: T[][] = []
  for (let at = 0; at < items.length; at += perStep) {
    if (at > 0) yield
    runs.push(items.slice(at, at + perStep).sort(compare))
  }
  while (runs.length > 1) {
    const joined: T[][] = []
    for (let i = 0; i < runs.length; i += 2) joined.push(yield* joinedInSteps(runs[i] ?? [], runs[i + 1] ?? [], { compare, perStep }))
    runs = joined
  }
  return runs[0] ?? []
}

interface Sorting<T> {
  readonly compare: (a: T, b: T) => number
  readonly perStep: number
}

/** Two sorted lists as one; of equals those of the first come first. */
function* joinedInSteps<T>(a: readonly T[], b: readonly T[], { compare, perStep }: Sorting<T>): Steps<T[]> {
  const out: T[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const takesA = j >= b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0)
    out.push((takesA ? a[i++] : b[j++]) as T)
    if (out.length % perStep === 0) yield
  }
  return out
}
