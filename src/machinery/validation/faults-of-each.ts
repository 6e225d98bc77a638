import { arrival, Pace, type Steps } from '../../base/steps.ts'
import { type FieldError, MAX_FAULTS } from '../field-error.ts'

/**
 * Validators return their faults at once, but a list may have half a million items. They all loop by `faultsOfEach`, so that is where a
 * validation is interrupted: after a turn's worth of items it returns, instead of further faults, the rest of its loop.
 * `faultsInSteps` continues with the rests, in the order of the faults.
 */
class RestOfFaults implements FieldError {
  readonly #continue: () => readonly FieldError[]
  #found: readonly FieldError[] | undefined

  constructor(proceed: () => readonly FieldError[]) {
    this.#continue = proceed
  }

  /** Checks further items. Validators may report a fault twice, but a check may count its items: it is run once. */
  next(): readonly FieldError[] {
    this.#found ??= paced(this.#continue)
    return this.#found
  }

  get type(): never {
    throw new Error('invariant: what a validator does with the faults of a loop is an argument of `faultsThen`')
  }

  get field(): never {
    return this.type
  }

  get message(): never {
    return this.type
  }
}

/** The work of the running turn; undefined: a validation that is not interrupted. */
let pace: Pace | undefined

function paced(validate: () => readonly FieldError[]): readonly FieldError[] {
  pace = new Pace()
  try {
    return validate()
  } finally {
    pace = undefined
  }
}

/** The faults that a validator finds, with turns for others while it loops over items. */
export function faultsInSteps(validate: () => readonly FieldError[]): Steps<readonly FieldError[]> {
  const faults = paced(validate)
  return faults.some(isRest) ? completed(faults) : arrival(faults)
}

const isRest = (fault: FieldError) => fault instanceof RestOfFaults

function* completed(faults: readonly FieldError[]): Steps<readonly FieldError[]> {
  const found: FieldError[] = []
  const left = faults.toReversed()
  for (let fault = left.pop(); fault !== undefined && found.length < MAX_FAULTS; fault = left.pop()) {
    if (fault instanceof RestOfFaults) {
      yield
      left.push(...fault.next().toReversed())
    } else found.push(fault)
  }
  return found
}

/**
 * The faults of a list's items, up to the number of reported faults: bounds the work for one body. A check must not use what later ones do.
 */
export function faultsOfEach<T>(items: Iterable<T> | undefined | null, check: (item: T, i: number) => readonly FieldError[]): FieldError[] {
  if (items === undefined || items === null) return []
  return faultsFrom(Array.isArray(items) ? items : [...items], check, 0, MAX_FAULTS)
}

function faultsFrom<T>(
  items: readonly T[],
  check: (item: T, i: number) => readonly FieldError[],
  from: number,
  room: number,
): FieldError[] {
  const faults: FieldError[] = []
  for (let i = from; i < items.length && faults.length < room; i++) {
    if (pace?.spent === true) {
      const left = room - faults.filter((fault) => !isRest(fault)).length
      faults.push(new RestOfFaults(() => faultsFrom(items, check, i, left)))
      break
    }
    pace?.spend(WORK_PER_ITEM)
    for (const fault of check(items[i] as T, i)) faults.push(fault)
  }
  return faults
}

/** A check looks at some fields, and builds their paths. */
const WORK_PER_ITEM = 2

/** Counts work of a check that is more than a look at some fields: so many values, or microseconds. */
export function countWork(work: number): void {
  pace?.spend(work)
}

/** What follows from all faults of a loop, or from what its checks have noted: only then are they complete. */
export function faultsThen(faults: readonly FieldError[], next: (found: readonly FieldError[]) => readonly FieldError[]): FieldError[] {
  const at = faults.findIndex((fault) => fault instanceof RestOfFaults)
  const rest = faults[at]
  if (!(rest instanceof RestOfFaults)) return [...next(faults)]
  return [new RestOfFaults(() => faultsThen(faults.toSpliced(at, 1, ...rest.next()), next))]
}
