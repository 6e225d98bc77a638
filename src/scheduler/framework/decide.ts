import type { Later } from '../../base/steps.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { type Choice, choose, onlyChoice } from './choose.ts'
import { type ExternalResults, withResponses } from './consult.ts'
import type { DecideOptions } from './decide-options.ts'
import type { Decision, Placed } from './decision.ts'
import { type Explanation, NO_SCORES, type ScoreTable } from './explanation.ts'
import type { ExtensionPoint } from './extension-point-times.ts'
import type { ExternalScores } from './external-plugin.ts'
import { conclude, type Failure, noNodes } from './failure.ts'
import { type FilteredNodes, judge, promisedRow } from './judge.ts'
import type { Profile } from './profile.ts'
import type { Verdict } from './verdict.ts'

/**
 * Places a pod, or explains why it cannot be placed. Synchronous from the check of the table's version to the result: a caller that assumes
 * the pod in the same turn never over-commits a node. Returns a promise only if the pod fits nowhere and a post-filter is asynchronous.
 */
export function decide(profile: Profile, pod: PodInfo, options: DecideOptions, answers?: ExternalResults): Later<Decision> {
  const { times } = options
  const begun = times?.now() ?? 0
  const found = place(profile, pod, options, answers)
  times?.chose(times.now() - begun)
  return found.kind === 'failure' ? conclude(found, times) : found
}

function place(profile: Profile, pod: PodInfo, options: DecideOptions, answers: ExternalResults | undefined): Decision | Failure {
  const { table } = profile.context
  if (table.count === 0) return noNodes()
  const judged =
    answers?.judged.version === table.version ? answers.judged : timed(profile, options, 'Filter', () => judge(profile, pod, options))
  const heard = answers === undefined ? UNHEARD : withResponses(profile, judged.sampled, answers)
  const verdicts = heard.column ?? judged.sampled
  if (judged.refusal === undefined) {
    const promised = promisedRow(profile, pod, verdicts)
    const contest = { pod, shape: judged.shape, verdicts, externalScores: answers?.scores ?? NO_EXTERNAL }
    const choice = promised !== undefined ? onlyChoice(promised) : timed(profile, options, 'Score', () => choose(profile, contest, options))
    if (choice !== undefined) return placed(profile, judged, verdicts, choice)
  }
  const explain = explanation(profile, judged, verdicts, () => NO_SCORES)
  return {
    kind: 'failure',
    profile,
    pod,
    judged,
    byExtenders: answers !== undefined && profile.externalFor(pod).some((plugin) => plugin.isPlugin !== true),
    strays: heard.strays,
    explain,
  }
}

function timed<T>({ plugins }: Profile, { times }: DecideOptions, point: ExtensionPoint, work: () => T): T {
  if (times === undefined) return work()
  const begun = times.now()
  const result = work()
  times.ran(point, plugins, 'Success', times.now() - begun)
  return result
}

const UNHEARD: { readonly column: Int32Array | undefined; readonly strays: readonly Verdict[] } = { column: undefined, strays: [] }
const NO_EXTERNAL: ReadonlyMap<string, ExternalScores> = new Map()

function placed(profile: Profile, judged: FilteredNodes, verdicts: Int32Array, choice: Choice): Placed {
  const { row, feasible, ties, scores } = choice
  const node = profile.context.table.names[row] ?? ''
  return { kind: 'placed', node, row, feasible, ties, explain: explanation(profile, judged, verdicts, scores) }
}

function explanation(profile: Profile, { shape }: FilteredNodes, verdicts: Int32Array, scores: () => ScoreTable): Explanation {
  const column = verdicts === shape.verdicts ? shape.snapshot() : verdicts
  let table: ScoreTable | undefined
  return {
    nodes: profile.context.table.namesNow(),
    column,
    verdicts: profile.book.list,
    get scores() {
      table ??= scores()
      return table
    },
  }
}
