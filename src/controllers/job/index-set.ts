/** A range of completion indexes; both ends belong to it. */
interface Interval {
  readonly first: number
  readonly last: number
}

/**
 * A set of completion indexes, kept as intervals: `0-2147483646` costs as much as `0`.
 * Its text is Kubernetes' own (`0,2-4`, of `status.completedIndexes`): two neighbours are written apart, three as a range.
 */
export class IndexSet {
  static readonly EMPTY = new IndexSet([])

  /** Sorted; two intervals neither overlap nor touch. */
  readonly #intervals: readonly Interval[]

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals
  }

  static of(indexes: Iterable<number>): IndexSet {
    return new IndexSet(merged(Array.from(indexes, (index) => ({ first: index, last: index }))))
  }

  /** Reads the text; parts that are no interval are skipped. */
  static parse(text = ''): IndexSet {
    return new IndexSet(merged(text.split(',').flatMap(parseInterval)))
  }

  get size(): number {
    return this.#intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  }

  has(index: number): boolean {
    let [from, to] = [0, this.#intervals.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#intervals[middle]?.last ?? index) < index) from = middle + 1
      else to = middle
    }
    const candidate = this.#intervals[from]
    return candidate !== undefined && candidate.first <= index
  }

  union(other: IndexSet): IndexSet {
    return new IndexSet(merged([...this.#intervals, ...other.#intervals]))
  }

  /** Its indexes below `end`. */
  below(end: number): IndexSet {
    const kept = this.#intervals.filter(({ first }) => first < end)
    return new IndexSet(kept.map(({ first, last }) => ({ first, last: Math.min(last, end - 1) })))
  }

  /** How many indexes both sets have. */
  countShared(other: IndexSet): number {
    return this.size + other.size - this.union(other).size
  }

  /** The indexes below `end` that it lacks, in order. Lazy: `end` may be 2³¹−1. */
  *missing(end: number): Generator<number> {
    let next = 0
    for (const { first, last } of this.#intervals) {
      for (; next < Math.min(first, end); next++) yield next
      next = last + 1
    }
    for (; next < end; next++) yield next
  }

  toString(): string {
    return this.#intervals.map(showInterval).join(',')
  }
}

function parseInterval(part: string): readonly Interval[] {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
  return first === undefined || Number(last) < Number(first) ? [] : [{ first: Number(first), last: Number(last) }]
}

function showInterval({ first, last }: Interval): string {
  if (first === last) return String(first)
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`
}

/** The same indexes as intervals that neither overlap nor touch. */
function merged(intervals: Interval[]): readonly Interval[] {
  const result: { first: number; last: number }[] = []
  for (const { first, last } of intervals.sort((a, b) => a.first - b.first)) {
    const before = result.at(-1)
    if (before === undefined || first > before.last + 1) result.push({ first, last })
    else before.last = Math.max(before.last, last)
  }
  return result
}
