/** From this length of the part on, positions are found by its borders: V8's own search is quadratic for texts that repeat themselves. */
const LONG_PART = 64

/** The positions of a part in a text, from `from` on, that do not overlap. The time is linear in both. */
export function* positionsOf(text: string, part: string, from = 0): Generator<number, void> {
  if (part.length >= LONG_PART) yield* positionsByBorders(text, part, { from, overlapping: false })
  else for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + part.length)) yield at
}

/** The last position of a part in a text, up to `to`; -1 if there is none. The time is linear in both. */
export function lastPositionOf(text: string, part: string, to: number): number {
  if (part.length < LONG_PART) return text.lastIndexOf(part, to)
  let last = -1
  for (const at of positionsByBorders(text.slice(0, to + part.length), part, { from: 0, overlapping: true })) last = at
  return last
}

/** Knuth, Morris and Pratt. */
function* positionsByBorders(text: string, part: string, how: { from: number; overlapping: boolean }): Generator<number, void> {
  const borders = bordersOf(part)
  let matched = 0
  for (let i = how.from; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (part.charCodeAt(matched) === unit) matched++
    if (matched < part.length) continue
    yield i + 1 - matched
    matched = how.overlapping ? (borders[matched - 1] ?? 0) : 0
  }
}

/** For each prefix of a text: the length of the longest part that both begins and ends it, other than itself. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  for (let i = 1, length = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (text.charCodeAt(length) === unit) length++
    borders[i] = length
  }
  return borders
}
