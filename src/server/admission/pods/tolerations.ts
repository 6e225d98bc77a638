import { Pace, type Steps } from '../../../base/steps.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import type { Toleration } from '../../../resources/types/core.ts'

const same = (a: Toleration, b: Toleration): boolean =>
  (a.key ?? '') === (b.key ?? '') &&
  (a.operator ?? '') === (b.operator ?? '') &&
  (a.value ?? '') === (b.value ?? '') &&
  (a.effect ?? '') === (b.effect ?? '') &&
  a.tolerationSeconds === b.tolerationSeconds

/** Whether the first tolerates everything that the second does. */
export function coversToleration(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true
  const { key = '', operator = '', value = '', effect = '' } = wide
  if (key !== (narrow.key ?? '') && (key !== '' || operator !== 'Exists')) return false
  if (effect !== '' && effect !== (narrow.effect ?? '')) return false
  if (effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false
  }
  // As upstream, the operator is compared literally: a toleration without one is covered only by one without one.
  if (operator === 'Equal' || operator === '') return narrow.operator === 'Equal' && value === (narrow.value ?? '')
  return operator === 'Exists'
}

/** Work that one toleration costs here, beside what a value costs elsewhere: some ten keys are made of it. */
const WORK_PER_TOLERATION = 10

/**
 * Both lists, without tolerations that others cover. As upstream, one is left out if one before it that stays covers it, or any other one
 * after it.
 */
export function* mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Steps<Toleration[]> {
  const all = [...first, ...second]
  const pace = new Pace()
  const after = new TolerationCoverage()
  const uncovered: Toleration[] = []
  for (const one of all.toReversed()) {
    if (pace.due(WORK_PER_TOLERATION)) yield
    if (!after.hasOtherThatCovers(one)) uncovered.push(one)
    after.add(one)
  }
  const merged: Toleration[] = []
  const before = new TolerationCoverage()
  for (const one of uncovered.reverse()) {
    if (pace.due(WORK_PER_TOLERATION)) yield
    if (before.covers(one)) continue
    before.add(one)
    merged.push(one)
  }
  return merged
}

/** Whether each toleration is covered by an allowed one; an empty list allows all. */
export function* tolerationsAllowed(tolerations: readonly Toleration[], allowed: readonly Toleration[]): Steps<boolean> {
  if (allowed.length === 0) return true
  const pace = new Pace()
  const coverage = new TolerationCoverage()
  for (const one of allowed) {
    if (pace.due(WORK_PER_TOLERATION)) yield
    coverage.add(one)
  }
  for (const one of tolerations) {
    if (pace.due(WORK_PER_TOLERATION)) yield
    if (!coverage.covers(one)) return false
  }
  return true
}

/**
 * Tolerations that may cover others. Those that differ in their seconds alone share an entry, so that a look costs the same however many
 * there are.
 */
class TolerationCoverage {
  readonly #all = new Set<string>()
  /** The two of an entry that last longest: what the others cover is covered by both, and one of the two differs from any given one. */
  readonly #longest = new Map<string, readonly Toleration[]>()

  add(one: Toleration): void {
    const whole = wholeOf(one)
    if (this.#all.has(whole)) return
    this.#all.add(whole)
    const entry = entryOf(one)
    this.#longest.set(entry, [...(this.#longest.get(entry) ?? []), one].sort(byDuration).slice(0, 2))
  }

  covers(one: Toleration): boolean {
    return this.#all.has(wholeOf(one)) || this.hasOtherThatCovers(one)
  }

  hasOtherThatCovers(one: Toleration): boolean {
    const covers = (other: Toleration) => !same(other, one) && coversToleration(other, one)
    return entriesThatMayCover(one).some((entry) => this.#longest.get(entry)?.some(covers))
  }
}

const duration = ({ tolerationSeconds }: Toleration): number => Number(tolerationSeconds ?? Number.MAX_VALUE)
const byDuration = (a: Toleration, b: Toleration): number => duration(b) - duration(a)

const wholeOf = ({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: WrittenToleration): string =>
  encodeJson([key, operator, value, effect, tolerationSeconds])

/** A toleration as a client wrote it: operators and effects are not validated yet. */
interface WrittenToleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

/** A value beside `Exists` covers nothing more. */
const entryOf = ({ key = '', operator = '', value = '', effect = '' }: WrittenToleration): string =>
  JSON.stringify(operator === 'Exists' ? [key, effect] : [key, effect, operator, value])

function entriesThatMayCover({ key = '', value = '', effect = '' }: WrittenToleration): string[] {
  return [...new Set([effect, ''])].flatMap((anEffect) => [
    entryOf({ operator: 'Exists', effect: anEffect }),
    ...['Exists', 'Equal', ''].map((operator) => entryOf({ key, operator, value, effect: anEffect })),
  ])
}
