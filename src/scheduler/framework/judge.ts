import type { PodInfo } from '../cache/pod-info.ts'
import type { DecideOptions } from './decide-options.ts'
import { DryRun } from './dry-run.ts'
import type { PreparedFilter } from './prepared.ts'
import type { Profile } from './profile.ts'
import { firstOf, type ShapeEntry } from './shape-cache.ts'
import type { Verdict } from './verdict.ts'

/** The verdicts of all synchronous filters for the nodes, at one version of the table. */
export class FilteredNodes {
  readonly version: number
  readonly shape: ShapeEntry
  /** The pod fits nowhere, whatever the nodes. */
  readonly refusal: Verdict | undefined
  /** Row → number of the verdict. The shape's own column while nothing beyond it turned a node down: never write to it. */
  readonly verdicts: Int32Array
  /** The same, less the nodes that need not be looked at because enough others fit. */
  readonly sampled: Int32Array
  readonly #profile: Profile
  readonly #pod: PodInfo
  readonly #options: DecideOptions

  constructor(profile: Profile, pod: PodInfo, options: DecideOptions) {
    this.#profile = profile
    this.#pod = pod
    this.#options = options
    const shape = profile.shape(pod)
    const others = prepareOthers(profile, pod)
    this.shape = shape
    this.refusal = shape.refusal ?? (others.length === 0 ? undefined : others.find((o) => o.refuse !== undefined)?.refuse)
    const plain = this.refusal !== undefined || (others.length === 0 && !options.hasNominations())
    this.verdicts = plain ? shape.verdicts : this.#judgeAll(firstOf(others.flatMap((o) => o.check ?? [])))
    this.sampled = this.refusal === undefined ? this.#sample() : this.verdicts
    // Read last: pods on trial are changes too.
    this.version = profile.context.table.version
  }

  #sample(): Int32Array {
    const { sample } = this.#options
    const [{ context, plugins }, pod] = [this.#profile, this.#pod]
    if (sample === undefined || plugins.percentageOfNodes === 0) return this.verdicts
    const sampled = sample.of(context.table, this.verdicts, plugins.percentageOfNodes)
    const promised = sampled === this.verdicts ? undefined : promisedRow(this.#profile, pod, this.verdicts)
    // The node that was cleared for the pod is looked at in any case.
    if (promised !== undefined) sampled[promised] = 0
    return sampled
  }

  /** For tests of the kind "if that pod did not exist". */
  dryRun(): DryRun {
    const [profile, pod, options] = [this.#profile, this.#pod, this.#options]
    return new DryRun({
      context: profile.context,
      local: this.shape.check,
      prepare: () => prepareOthers(profile, pod, true),
      nominatedOn: (row) => (options.hasNominations() ? options.nominatedOn(row, pod) : NOBODY),
    })
  }

  /** A copy of the shape's verdicts in which the nodes that passed were put to the other filters, and to the pods that are to come. */
  #judgeAll(check: NonNullable<PreparedFilter['check']>): Int32Array {
    const { book, context } = this.#profile
    const { table } = context
    const verdicts = this.shape.verdicts.slice(0, table.rows)
    const nominations = this.#options.hasNominations()
    const dryRun = nominations ? this.dryRun() : undefined
    for (let row = 0; row < table.rows; row++) {
      if (verdicts[row] !== 0) continue
      let verdict = check(row)
      if (verdict === undefined && dryRun !== undefined && this.#options.nominatedOn(row, this.#pod).length > 0) verdict = dryRun.check(row)
      if (verdict !== undefined) verdicts[row] = book.id(verdict)
    }
    return verdicts
  }
}

/** Runs the filters for every node. Reads the table; has no lasting effect. */
export const judge = (profile: Profile, pod: PodInfo, options: DecideOptions): FilteredNodes => new FilteredNodes(profile, pod, options)

const NOBODY: readonly PodInfo[] = []
const NONE: readonly PreparedFilter[] = []

/** The filters that look beyond one node, made ready for this pod; the first that refuses it outright ends the line. */
function prepareOthers(profile: Profile, pod: PodInfo, onTrial = false): readonly PreparedFilter[] {
  let prepared: PreparedFilter[] | undefined
  for (const plugin of profile.otherFilters) {
    const one = plugin.filter?.(pod, profile.context, onTrial)
    if (one === undefined) continue
    if (prepared === undefined) prepared = [one]
    else prepared.push(one)
    if (one.refuse !== undefined) break
  }
  return prepared ?? NONE
}

/** The node that was cleared for this pod, when the pod fits there now. */
export function promisedRow(profile: Profile, pod: PodInfo, verdicts: Int32Array): number | undefined {
  const promised = pod.pod.status?.nominatedNodeName
  const row = promised ? profile.context.table.rowOf(promised) : undefined
  return row !== undefined && verdicts[row] === 0 ? row : undefined
}
