import { AS_GO, encodeJson } from '../machinery/json/strict-json.ts'
import { isHeavy } from '../machinery/weight.ts'

/** Lists and maps of large values are compared up to so many values: the forms and the difference of all of them would take seconds. */
const MOST_VALUES = 2000
/** So many lines that differ are compared line by line; of more, the first are shown as one replacement. */
const MOST_LINES = 2000

/**
 * The difference of two values as Kubernetes shows it: a unified diff of their indented JSON with three lines of context. `form` makes what
 * is shown of each.
 */
export function jsonDifference<T>(before: T, after: T, form: (value: T) => unknown): string {
  return unifiedDiff(lines(form(shortened(before))), lines(form(shortened(after))))
}

/** The value itself, or the first part of a large one. */
const shortened = <T>(value: T): T => (isHeavy(value) ? firstValues(value, { left: MOST_VALUES }) : value)

function firstValues<T>(value: T, budget: { left: number }): T {
  budget.left--
  if (typeof value !== 'object' || value === null) return value
  const within: unknown[] = []
  for (const [key, member] of Object.entries(value)) {
    if (budget.left <= 0) break
    within.push(Array.isArray(value) ? firstValues(member, budget) : [key, firstValues(member, budget)])
  }
  // The same shape with fewer members.
  return (Array.isArray(value) ? within : Object.fromEntries(within as [string, unknown][])) as T
}

function lines(value: unknown): string[] {
  return encodeJson(value ?? null, { ...AS_GO, indent: 1 }).split('\n')
}

const CONTEXT = 3

type Tag = 'equal' | 'replace' | 'delete' | 'insert'
interface Step {
  readonly tag: Tag
  readonly a1: number
  readonly a2: number
  readonly b1: number
  readonly b2: number
}

/** The unified diff of two texts, by lines. */
export function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  let out = ''
  for (const group of grouped(steps(a, b))) {
    const first = group[0]
    const last = group.at(-1)
    if (!first || !last) continue
    out += `@@ -${span(first.a1, last.a2)} +${span(first.b1, last.b2)} @@\n`
    for (const step of group) {
      if (step.tag === 'equal') out += prefixed(' ', a.slice(step.a1, step.a2))
      else out += prefixed('-', a.slice(step.a1, step.a2)) + prefixed('+', b.slice(step.b1, step.b2))
    }
  }
  return out
}

const prefixed = (sign: string, part: readonly string[]) => part.map((line) => `${sign}${line}\n`).join('')

function span(start: number, end: number): string {
  const length = end - start
  if (length === 1) return `${start + 1}`
  return `${length === 0 ? start : start + 1},${length}`
}

/** Shortens long runs of equal lines to the context of each group. */
function grouped(all: readonly Step[]): Step[][] {
  const groups: Step[][] = []
  let group: Step[] = []
  for (const [i, step] of all.entries()) {
    if (step.tag !== 'equal') {
      group.push(step)
      continue
    }
    const length = step.a2 - step.a1
    const head = i === 0
    const tail = i === all.length - 1
    if (!head && !tail && length <= CONTEXT * 2) {
      group.push(step)
      continue
    }
    if (!head) {
      const keep = Math.min(CONTEXT, length)
      group.push({ ...step, a2: step.a1 + keep, b2: step.b1 + keep })
      if (group.some((s) => s.tag !== 'equal')) groups.push(group)
      group = []
    }
    if (!tail) {
      const keep = Math.min(CONTEXT, length)
      group = [{ ...step, a1: step.a2 - keep, b1: step.b2 - keep }]
    }
  }
  if (group.some((s) => s.tag !== 'equal')) groups.push(group)
  return groups
}

function steps(a: readonly string[], b: readonly string[]): Step[] {
  const out: Step[] = []
  let i = 0
  let j = 0
  const push = (tag: Tag, a2: number, b2: number) => {
    if (i < a2 || j < b2) out.push({ tag, a1: i, a2, b1: j, b2 })
    i = a2
    j = b2
  }
  for (const match of [...matches(a, b), { a: a.length, b: b.length, size: 0 }]) {
    push(i < match.a ? (j < match.b ? 'replace' : 'delete') : 'insert', match.a, match.b)
    push('equal', match.a + match.size, match.b + match.size)
  }
  return out
}

interface Match {
  readonly a: number
  readonly b: number
  readonly size: number
}

/** The common runs of lines. Of texts that differ in too many lines only their beginnings and ends are compared. */
function matches(a: readonly string[], b: readonly string[]): Match[] {
  if (Math.max(a.length, b.length) <= MOST_LINES) return longestRuns(a, b)
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a[head] === b[head]) head++
  let tail = 0
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const [middleA, middleB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  const within = Math.max(middleA.length, middleB.length) <= MOST_LINES ? longestRuns(middleA, middleB) : []
  return [
    { a: 0, b: 0, size: head },
    ...within.map((match) => ({ ...match, a: match.a + head, b: match.b + head })),
    { a: a.length - tail, b: b.length - tail, size: tail },
  ]
}

/** Ratcliff-Obershelp: the longest common run first, then the parts to its left and right. */
function longestRuns(a: readonly string[], b: readonly string[]): Match[] {
  const places = placesOf(b)
  const found: Match[] = []
  const queue: [number, number, number, number][] = [[0, a.length, 0, b.length]]
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [a1, a2, b1, b2] = next
    const match = longest({ a, b, places }, a1, a2, b1, b2)
    if (match.size === 0) continue
    found.push(match)
    if (a1 < match.a && b1 < match.b) queue.push([a1, match.a, b1, match.b])
    if (match.a + match.size < a2 && match.b + match.size < b2) queue.push([match.a + match.size, a2, match.b + match.size, b2])
  }
  return joined(found.sort((x, y) => x.a - y.a || x.b - y.b))
}

function joined(sorted: readonly Match[]): Match[] {
  const out: Match[] = []
  for (const match of sorted) {
    const last = out.at(-1)
    if (last && last.a + last.size === match.a && last.b + last.size === match.b)
      out[out.length - 1] = { ...last, size: last.size + match.size }
    else out.push(match)
  }
  return out
}

/** The positions of each line in `b`; in long texts, lines that occur almost everywhere are ignored. */
function placesOf(b: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [i, line] of b.entries()) {
    const list = places.get(line)
    if (list) list.push(i)
    else places.set(line, [i])
  }
  if (b.length >= 200) {
    const popular = Math.floor(b.length / 100) + 1
    for (const [line, list] of places) if (list.length > popular) places.delete(line)
  }
  return places
}

interface Texts {
  readonly a: readonly string[]
  readonly b: readonly string[]
  readonly places: ReadonlyMap<string, readonly number[]>
}

function longest({ a, b, places }: Texts, a1: number, a2: number, b1: number, b2: number): Match {
  let best: Match = { a: a1, b: b1, size: 0 }
  let lengths = new Map<number, number>()
  for (let i = a1; i < a2; i++) {
    const next = new Map<number, number>()
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < b1) continue
      if (j >= b2) break
      const size = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, size)
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size }
    }
    lengths = next
  }
  let { a: x, b: y, size } = best
  while (x > a1 && y > b1 && a[x - 1] === b[y - 1]) {
    x--
    y--
    size++
  }
  while (x + size < a2 && y + size < b2 && a[x + size] === b[y + size]) size++
  return { a: x, b: y, size }
}
