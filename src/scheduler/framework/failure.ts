import type { Later } from '../../base/steps.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { EXTENDER } from './consult.ts'
import type { Unschedulable } from './decision.ts'
import { countVerdicts, type Explanation, NOTHING_SEEN } from './explanation.ts'
import type { ExtensionPointTimes } from './extension-point-times.ts'
import { type Diagnosis, fitErrorText } from './fit-error.ts'
import type { FilteredNodes } from './judge.ts'
import type { FailedAttempt, Plugin, PostFilterResult } from './plugin.ts'
import type { Profile } from './profile.ts'
import type { Verdict } from './verdict.ts'

/** Kubernetes' text for a cluster without nodes. */
const NO_NODES = 'no nodes available to schedule pods'

/** A pod that fits nowhere, before the post-filters ran. */
export interface Failure {
  readonly kind: 'failure'
  readonly profile: Profile
  readonly pod: PodInfo
  readonly judged: FilteredNodes
  /** Extenders were called, and rejected the remaining nodes. */
  readonly byExtenders: boolean
  /** Verdicts that count in the message though no node has them. */
  readonly strays: readonly Verdict[]
  readonly explain: Explanation
}

/** The results of the post-filters so far. */
interface PostFilterOutcome {
  readonly messages: string[]
  clears: boolean
  nominated: Unschedulable['nominated']
}

/** Runs the post-filters in order and returns the result. Synchronous unless one of them is asynchronous. */
export function conclude(failure: Failure, times?: ExtensionPointTimes): Later<Unschedulable> {
  const begun = times?.now() ?? 0
  const attempt = attemptOf(failure)
  const said: PostFilterOutcome = { messages: [], clears: false, nominated: undefined }
  const rest = [...failure.profile.plugins.postFilter]
  const end = (): Unschedulable => {
    times?.ran('PostFilter', failure.profile.plugins, said.nominated === undefined ? 'Unschedulable' : 'Success', times.now() - begun)
    return unschedulable(failure, said)
  }
  const next = (): Later<Unschedulable> => {
    for (let plugin = rest.shift(); plugin !== undefined; plugin = rest.shift()) {
      const result = plugin.postFilter?.(attempt)
      if (result instanceof Promise) return result.then((late) => (late !== undefined && take(said, late) ? end() : next()))
      if (result !== undefined && take(said, result)) break
    }
    return end()
  }
  return next()
}

/** True when the remaining post-filters are not run. */
function take(said: PostFilterOutcome, result: PostFilterResult): boolean {
  if (result.kind !== 'failed') said.messages.length = 0
  if (result.kind === 'nominated') said.nominated = { node: result.node, victims: result.victims }
  else said.messages.push(result.message)
  if (result.kind === 'failed' && result.clears) said.clears = true
  return result.kind !== 'failed'
}

function attemptOf({ profile, pod, judged, explain }: Failure): FailedAttempt {
  return {
    pod,
    context: profile.context,
    verdictOf: (row) => explain.verdicts[explain.column[row] ?? 0],
    refusedBy: judged.refusal?.plugin,
    dryRun: judged.dryRun(),
    external: profile.externalFor(pod),
  }
}

function unschedulable({ profile, judged, byExtenders, strays, explain }: Failure, said: PostFilterOutcome): Unschedulable {
  const { refusal } = judged
  const counts = refusal === undefined ? countVerdicts(explain) : new Map<Verdict, number>()
  for (const stray of strays) counts.set(stray, (counts.get(stray) ?? 0) + 1)
  const plugins = new Set(refusal === undefined ? [...counts.keys()].flatMap(pluginsOf) : [refusal.plugin])
  if (byExtenders) plugins.add(EXTENDER)
  const diagnosis: Diagnosis = {
    nodes: profile.context.table.count,
    counts,
    postFilterMessage: said.messages.join(', '),
    ...(refusal === undefined ? {} : { podVerdict: refusal }),
  }
  return {
    kind: 'unschedulable',
    message: fitErrorText(diagnosis),
    diagnosis,
    plugins,
    nominated: said.nominated,
    clearsNomination: said.clears,
    explain,
  }
}

const pluginsOf = (verdict: Verdict): readonly string[] => (verdict.plugin === '' ? verdict.reasons.flatMap(namedIn) : [verdict.plugin])
const namedIn = (reason: string) => {
  const [from, to] = [reason.indexOf('['), reason.lastIndexOf(']')]
  return from < 0 || to < from ? [] : reason.slice(from + 1, to).split(' ')
}

/** There is no node at all. */
export function noNodes(): Unschedulable {
  return {
    kind: 'unschedulable',
    message: NO_NODES,
    diagnosis: { nodes: 0, counts: new Map(), postFilterMessage: '' },
    plugins: new Set(),
    nominated: undefined,
    clearsNomination: false,
    explain: NOTHING_SEEN,
  }
}

/** A plugin rejected the pod after its node was chosen (Reserve, Permit). Kubernetes reports it as if that were the only node. */
export function turnedDown(verdict: Verdict, plugins: readonly Plugin[], explain: Explanation): Unschedulable {
  const diagnosis: Diagnosis = { nodes: 1, counts: new Map([[verdict, 1]]), postFilterMessage: '' }
  const known = plugins.some((p) => p.name === verdict.plugin)
  return {
    kind: 'unschedulable',
    message: fitErrorText(diagnosis),
    diagnosis,
    plugins: new Set(known ? [verdict.plugin] : []),
    nominated: undefined,
    clearsNomination: false,
    explain,
  }
}
