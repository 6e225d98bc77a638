import { type FieldError, MAX_FAULTS } from '../field-error.ts'

/** The faults of a list's items, up to the number of reported faults: bounds the work for one body. */
export function faultsOfEach<T>(items: Iterable<T> | undefined | null, check: (item: T, i: number) => readonly FieldError[]): FieldError[] {
  const faults: FieldError[] = []
  for (const [i, item] of entriesUntilFull(items, faults)) for (const fault of check(item, i)) faults.push(fault)
  return faults
}

/** The items with their indices, until the number of reported faults is reached. */
export function* entriesUntilFull<T>(items: Iterable<T> | undefined | null, faults: readonly FieldError[]): Generator<[number, T], void> {
  let i = 0
  for (const item of items ?? []) {
    if (faults.length >= MAX_FAULTS) return
    yield [i++, item]
  }
}
