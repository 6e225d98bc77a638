/**
 * Which pieces of a bundle go into one file. Each file that a start finds and opens costs it half a millisecond, and so does the code that
 * it reads and never runs.
 */

/** Bytes of code that are read in the time in which one file is found and opened. */
const FILE_BYTES = 20_000

export interface Piece {
  readonly name: string
  readonly bytes: number
  /** Pieces that it needs at once. */
  readonly imports: readonly string[]
  /** Loaded by its name: it stays a file of its own. */
  readonly fixed: boolean
}

/** A file to be: its pieces, in the order in which they were found. */
interface Group {
  readonly names: readonly string[]
  readonly bytes: number
  readonly fixed: boolean
}

/**
 * The groups of two and more pieces. `roots`: what is loaded in one go, each a list of pieces. Any two come together as long as that saves
 * the roots more files than it costs them bytes, and no file needs itself by way of another one.
 */
export function groupPieces(pieces: readonly Piece[], roots: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let grouping = apart(pieces, roots)
  for (;;) {
    const better = mergeBest(grouping)
    if (better === undefined) break
    grouping = better
  }
  return grouping.groups.filter(({ names }) => names.length > 1).map(({ names }) => names)
}

/** Groups by index, what each needs, and what each root loads. */
interface Grouping {
  readonly groups: readonly Group[]
  readonly needs: readonly ReadonlySet<number>[]
  readonly roots: readonly (readonly number[])[]
}

/** Each piece by itself. */
function apart(pieces: readonly Piece[], roots: readonly (readonly string[])[]): Grouping {
  const indexOf = new Map(pieces.map(({ name }, i) => [name, i]))
  const indices = (names: readonly string[]) => names.flatMap((name) => indexOf.get(name) ?? [])
  return {
    groups: pieces.map(({ name, bytes, fixed }) => ({ names: [name], bytes, fixed })),
    needs: pieces.map(({ imports }) => new Set(indices(imports))),
    roots: roots.map(indices),
  }
}

/** Two groups made one, where that saves most; undefined: nowhere. */
function mergeBest(grouping: Grouping): Grouping | undefined {
  const { groups, needs, roots } = grouping
  const reach = groups.map((_, i) => reached([i], (at) => needs[at] ?? []))
  const loaded = roots.map((root) => new Set(root.flatMap((i) => [...(reach[i] ?? [])])))
  const candidates = groups
    .keys()
    .filter((i) => groups[i]?.fixed === false && loaded.some((all) => all.has(i)))
    .toArray()
  let best = { saved: 0, pair: [0, 0] as readonly [number, number] }
  for (const a of candidates)
    for (const b of candidates) {
      if (a >= b || savedAtMost(a, b) <= best.saved || needsByWay(a, b) || needsByWay(b, a)) continue
      const saved = sumOf(loaded, (all) => savedBy(all, a, b))
      if (saved > best.saved) best = { saved, pair: [a, b] }
    }
  return best.saved === 0 ? undefined : contract(grouping, best.pair)

  function savedAtMost(a: number, b: number): number {
    return sumOf(loaded, (all) => (all.has(a) ? (all.has(b) ? FILE_BYTES : -sizeOf(b)) : all.has(b) ? -sizeOf(a) : 0))
  }

  /** Whether the one needs the other by way of a third. */
  function needsByWay(from: number, to: number): boolean {
    return [...(needs[from] ?? [])].some((next) => next !== to && reach[next]?.has(to) === true)
  }

  function sizeOf(group: number): number {
    return groups[group]?.bytes ?? 0
  }

  /** What a root that loads `all` saves, in bytes. */
  function savedBy(all: ReadonlySet<number>, a: number, b: number): number {
    if (all.has(a) && all.has(b)) return FILE_BYTES
    if (!all.has(a) && !all.has(b)) return 0
    const other = all.has(a) ? b : a
    const more = [...(reach[other] ?? [])].filter((i) => !all.has(i))
    return -sumOf(more, (i) => sizeOf(i) + (i === other ? 0 : FILE_BYTES))
  }
}

function contract({ groups, needs, roots }: Grouping, [a, b]: readonly [number, number]): Grouping {
  const renamed = (i: number) => (i === b ? a : i > b ? i - 1 : i)
  const without = <T>(list: readonly T[]) => list.toSpliced(b, 1)
  const [one, two] = [groups[a], groups[b]]
  if (one === undefined || two === undefined) throw new Error('invariant: there is no such group')
  const both = { names: [...one.names, ...two.names], bytes: one.bytes + two.bytes, fixed: false }
  const bothNeed = new Set([...(needs[a] ?? []), ...(needs[b] ?? [])].map(renamed))
  bothNeed.delete(a)
  return {
    groups: without(groups.with(a, both)),
    needs: without(needs.map((all, i) => (i === a ? bothNeed : new Set([...all].map(renamed))))),
    roots: roots.map((root) => [...new Set(root.map(renamed))]),
  }
}

const sumOf = <T>(list: readonly T[], value: (item: T) => number) => list.reduce((sum, item) => sum + value(item), 0)

/** What can be reached, with `from` itself: each one before what it leads to. */
export function reached<T>(from: Iterable<T>, next: (at: T) => Iterable<T>): Set<T> {
  const found = new Set<T>()
  const visit = (at: T) => {
    if (found.has(at)) return
    found.add(at)
    for (const other of next(at)) visit(other)
  }
  for (const at of from) visit(at)
  return found
}
