/** The offsets at which lines end, in order. */
export function lineEnds(text: string): number[] {
  const ends: number[] = []
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at)
  return ends
}

/** How many lines end before an offset. */
export function linesBefore(ends: readonly number[], offset: number): number {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}
