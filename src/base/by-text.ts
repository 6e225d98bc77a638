/** Compares texts by their UTF-16 code units, as `sort` does without a comparison. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Compares entries of a record or map by their keys. */
export const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => byText(a, b)

/** The record with its keys in order. */
export const sortedByKey = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(byKey))
