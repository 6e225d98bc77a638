import { type FieldError, MAX_FAULTS } from '../field-error.ts'

/** The faults of a list's items, until there are as many as are reported: the work does not grow with what one body holds. */
export function faultsOfEach<T>(items: Iterable<T> | undefined | null, check: (item: T, i: number) => readonly FieldError[]): FieldError[] {
  const faults: FieldError[] = []
  for (const [i, item] of entriesUntilFull(items, faults)) for (const fault of check(item, i)) faults.push(fault)
  return faults
}

/** The items with their indices, as long as fewer faults than are reported have been found. */
export function* entriesUntilFull<T>(items: Iterable<T> | undefined | null, faults: readonly FieldError[]): Generator<[number, T], void> {
  let i = 0
  for (const item of items ?? []) {
    if (faults.length >= MAX_FAULTS) return
    yield [i++, item]
  }
}
