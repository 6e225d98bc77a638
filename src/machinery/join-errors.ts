/** Joins errors as Go's aggregate does: without duplicates, in brackets if there are several. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
