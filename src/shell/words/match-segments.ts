import { Pace, type Steps } from '../../base/steps.ts'

/** One character of a pattern: a code point, or a test of one. */
export type Single = number | ((code: number) => boolean)

/** What a pattern has between its stars; without a star it is one segment. */
export type Segments = readonly (readonly Single[])[]

/** From the first character of a match to the one after its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

// A star takes anything, so each segment between two stars may be taken where it is found first: nothing that comes later needs to go back
// before it. Every search below looks at a text once.

/** Whether the segments fit the whole text. */
export function* fitsWhole(segments: Segments, codes: Uint32Array): Steps<boolean> {
  const [first = [], ...others] = segments
  const last = others.pop()
  if (last === undefined) return codes.length === first.length && lengthOfFit(first, codes, 0) === first.length
  const limit = codes.length - last.length
  if (limit < first.length || lengthOfFit(first, codes, 0) < first.length) return false
  if (lengthOfFit(last, codes, limit) < last.length) return false
  return (yield* passAll(others, codes, { start: first.length, end: limit })) !== undefined
}

/** Where the shortest or longest match ends that begins at `start`; undefined: there is none. */
export function* endOfMatch(segments: Segments, codes: Uint32Array, start: number, longest: boolean): Steps<number | undefined> {
  const [first = [], ...others] = segments
  const last = others.pop()
  const end = start + first.length
  if (end > codes.length || lengthOfFit(first, codes, start) < first.length) return undefined
  if (last === undefined) return end
  const after = yield* passAll(others, codes, { start: end, end: codes.length })
  if (after === undefined) return undefined
  const found = yield* (longest ? findLast : findFirst)(last, codes, { start: after, end: codes.length })
  return found === undefined ? undefined : found + last.length
}

/** The first match from `start` on that is not empty, and the longest of those that begin there. */
export function* findMatch(segments: Segments, codes: Uint32Array, start: number): Steps<Span | undefined> {
  const [first = []] = segments
  const found = yield* findFirst(first, codes, { start, end: codes.length })
  if (found === undefined) return undefined
  // If the rest does not match after the first position of the first segment, it does not match after a later one.
  const end = yield* endOfMatch(segments, codes, found, true)
  return end === undefined || end === found ? undefined : { start: found, end }
}

/** The same pattern for the text read backwards. */
export function reversed(segments: Segments): Segments {
  return segments.map((segment) => segment.toReversed()).reverse()
}

/** Finds the segments one after the other; the index after the last of them. */
function* passAll(segments: Segments, codes: Uint32Array, { start, end }: Span): Steps<number | undefined> {
  let at = start
  for (const segment of segments) {
    const found = yield* findFirst(segment, codes, { start: at, end })
    if (found === undefined) return undefined
    at = found + segment.length
  }
  return at
}

function* findFirst(segment: readonly Single[], codes: Uint32Array, { start, end }: Span): Steps<number | undefined> {
  const pace = new Pace()
  for (let at = start; at + segment.length <= end; at++) {
    const length = lengthOfFit(segment, codes, at)
    if (length === segment.length) return at
    if (pace.due(length + 1)) yield
  }
  return undefined
}

function* findLast(segment: readonly Single[], codes: Uint32Array, { start, end }: Span): Steps<number | undefined> {
  const pace = new Pace()
  for (let at = end - segment.length; at >= start; at--) {
    const length = lengthOfFit(segment, codes, at)
    if (length === segment.length) return at
    if (pace.due(length + 1)) yield
  }
  return undefined
}

/** How many characters of the segment fit the text from `at` on. */
function lengthOfFit(segment: readonly Single[], codes: Uint32Array, at: number): number {
  let length = 0
  for (const single of segment) {
    const code = codes[at + length]
    if (code === undefined || !(typeof single === 'number' ? single === code : single(code))) break
    length++
  }
  return length
}
