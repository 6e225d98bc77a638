/** A CPU profile as V8 writes it. */
export interface Profile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[]
  /** Microseconds of the monotonic clock. */
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Self time by part of the program: what Node and libraries do is counted to the folder that asked for it, where that is known. */
export function byPart(profile: Profile, depth: number): Map<string, number> {
  const nodesById = new Map(profile.nodes.map((n) => [n.id, n]))
  const parents = new Map<number, number>()
  for (const n of profile.nodes) for (const c of n.children ?? []) parents.set(c, n.id)
  const parts = new Map<number, string>()
  const partOf = (id: number): string => {
    const known = parts.get(id)
    if (known !== undefined) return known
    const { functionName, url } = nodesById.get(id)?.callFrame ?? { functionName: '', url: '' }
    const own = /\/(src|bench)\/(.*)$/.exec(url)
    const parent = parents.get(id)
    const part =
      own !== null
        ? (own[2] ?? '').split('/').slice(0, depth).join('/')
        : functionName.startsWith('(') && functionName !== '(root)'
          ? functionName
          : parent === undefined
            ? 'node'
            : partOf(parent)
    parts.set(id, part)
    return part
  }
  const sums = new Map<string, number>()
  for (const [i, id] of profile.samples.entries()) sums.set(partOf(id), (sums.get(partOf(id)) ?? 0) + (profile.timeDeltas[i] ?? 0))
  return sums
}
