import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../../machinery/object.ts'
import { keyOf } from '../../operator-trial/trial-base.ts'
import type { FaultSearch } from '../fault-search.ts'
import type { Effect, FieldEffects } from '../oracle/field-effects.ts'
import type { WorkStep } from '../work-step.ts'
import type { WorkloadRunner } from '../workload-runner.ts'
import { changeText, type FieldChange, fieldName, withChange } from './field-changes.ts'

/** What pairs are found with. */
export interface FieldPairsConfig {
  readonly search: FaultSearch
  readonly runner: WorkloadRunner
  readonly samples: readonly KubeObject[]
  readonly effects: FieldEffects
}

type Pair = readonly [FieldChange, FieldChange]

/** With so many other fields a field is tried that changes nothing alone: first with its neighbours. */
const MOST_PARTNERS = 8
const MOST_PAIRS = 60

/** Pairs of fields that act on each other, found by experiment. */
export class FieldPairs {
  /** How many were tried. */
  tried = 0
  readonly #config: FieldPairsConfig
  #pairs: Pair[] = []

  constructor(config: FieldPairsConfig) {
    this.#config = config
  }

  /** Finds pairs: fields that change something only together, and fields that change the same. */
  async findDependent(changes: readonly FieldChange[]): Promise<void> {
    const { effects } = this.#config
    const meant = changes.filter((change) => change.sort !== 'bad')
    this.#pairs = []
    for (const field of effects.vain) {
      if (this.#config.runner.isOver) return
      const own = meant.find((change) => fieldName(change) === field)
      const pair = own && (await this.#firstPair(own, meant))
      if (pair !== undefined) this.#pairs.push(pair)
    }
    this.#pairs.push(...this.#sharing(meant))
  }

  /** Changes both fields of each pair, one after the other, and takes that back in the other order. */
  async tryAll(sample: KubeObject): Promise<void> {
    const { search, runner, samples } = this.#config
    await runner.all(this.#pairs.slice(0, MOST_PAIRS), async ([first, second]) => {
      this.tried++
      const both = withChange(first.object, second)
      const input = first.sort === 'plain' && second.sort === 'plain' ? 'plain' : 'guess'
      const steps: WorkStep[] = [
        { name: 'create', apply: samples },
        { name: changeText(first), apply: [first.object], input },
        { name: changeText(second), apply: [both], input },
        { name: `${fieldName(first)} is as before`, apply: [second.object], input },
        { name: `${fieldName(second)} is as before`, apply: [sample] },
      ]
      await search.tryWorkload(steps, { newCauses: true })
    })
  }

  /** A field that changes nothing alone, with the first other one that shows what it does. */
  async #firstPair(vain: FieldChange, changes: readonly FieldChange[]): Promise<Pair | undefined> {
    const { effects } = this.#config
    const others = changes.filter((change) => !overlap(change, vain))
    const near = others.sort((a, b) => shared(b, vain) - shared(a, vain) || rank(a, effects) - rank(b, effects))
    for (const partner of near.slice(0, MOST_PARTNERS)) {
      const [own, changed] = [await this.#effectBeside(partner, vain), await this.#effectBeside(vain, partner)]
      const usual = await this.#effectBeside(undefined, partner)
      const acts = (own?.size ?? 0) > 0 || (changed !== undefined && usual !== undefined && !isDeepStrictEqual(changed, usual))
      if (!acts) continue
      effects.add(fieldName(vain), own?.size ? own : (changed ?? new Map()))
      return [partner, vain]
    }
    return undefined
  }

  /** What a change does where another one has been made. */
  async #effectBeside(other: FieldChange | undefined, change: FieldChange): Promise<Effect | undefined> {
    const { runner, effects, samples } = this.#config
    const object = other === undefined ? change.object : withChange(other.object, change)
    const beside = samples.map((s) => (other !== undefined && keyOf(s) === keyOf(object) ? other.object : s))
    const steps = [
      { name: 'create', apply: beside },
      { name: changeText(change), apply: [object] },
    ]
    return effects.of((await runner.record(steps)).history)
  }

  /** Changes of different fields that change the same path. */
  #sharing(changes: readonly FieldChange[]): Pair[] {
    const { effects } = this.#config
    const firsts = [...new Map(changes.map((change) => [fieldName(change), change])).values()]
    const pairs = firsts.flatMap((a, i) => firsts.slice(i + 1).map((b): Pair => [a, b]))
    return pairs.filter(([a, b]) => {
      const effect = effects.effectOf(fieldName(b))
      return !overlap(a, b) && [...effects.effectOf(fieldName(a)).keys()].some((path) => effect.has(path))
    })
  }
}

/** Whether one field holds the other. */
const overlap = (a: FieldChange, b: FieldChange) => shared(a, b) === Math.min(a.path.length, b.path.length)

/** How many parts both are in. */
function shared(a: FieldChange, b: FieldChange): number {
  const i = a.path.findIndex((name, at) => b.path[at] !== name)
  return i === -1 ? a.path.length : i
}

/** Switches first, then what is known to change something. */
const rank = (change: FieldChange, effects: FieldEffects) =>
  typeof change.value === 'boolean' ? 0 : effects.effectOf(fieldName(change)).size > 0 ? 1 : 2
