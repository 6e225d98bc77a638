/** `0,2-4`: sets of completion indexes as Kubernetes writes them; two neighbours are written apart. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b)
  const parts: string[] = []
  for (let i = 0; i < sorted.length; ) {
    let j = i
    while (j + 1 < sorted.length && sorted[j + 1] === (sorted[j] ?? 0) + 1) j++
    const [first, last] = [sorted[i], sorted[j]]
    if (j === i) parts.push(String(first))
    else parts.push(j === i + 1 ? `${first},${last}` : `${first}-${last}`)
    i = j + 1
  }
  return parts.join(',')
}

/** The reverse; what is no set of indexes is empty. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>()
  for (const part of (text ?? '').split(',')) {
    const [first, last = first] = part.split('-').map(Number)
    if (part === '' || first === undefined || last === undefined || !Number.isInteger(first) || !Number.isInteger(last)) continue
    for (let i = first; i <= last; i++) indexes.add(i)
  }
  return indexes
}
