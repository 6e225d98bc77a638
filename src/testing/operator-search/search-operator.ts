import { systemClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { inNewerVersion } from '../../resources/older-versions/older-versions.ts'
import type { OperatorProgram } from '../operator-trial/program/operator-process.ts'
import { openTrialBase } from '../operator-trial/trial-base.ts'
import { answerPrograms } from './answers/answer-programs.ts'
import type { ImageAnswers } from './answers/pod-answers.ts'
import { type ExploreReport, exploreFields } from './explore/explore-fields.ts'
import type { PointCounts } from './fault-coverage.ts'
import { FaultSearch } from './fault-search.ts'
import type { Finding } from './finding.ts'
import { compileInvariant } from './oracle/never.ts'
import type { Symptom } from './oracle/symptom.ts'
import { inProcessHost } from './run/in-process-host.ts'
import type { InProcessOperator } from './run/operator-life.ts'
import { programHost } from './run/program/program-host.ts'
import { searchClock } from './run/search-world.ts'
import { inNamespace, stepInNamespaces, type WorkStep } from './work-step.ts'
import { WorkloadRunner } from './workload-runner.ts'

const MOST_FIELDS = 400

/** An operator, and what is tried with it. */
export interface OperatorSearch {
  /** A function of this process, or a program. */
  readonly operator: InProcessOperator | OperatorProgram
  /** What has to be there before it: definitions, namespaces, configuration. */
  readonly install: readonly KubeObject[]
  /** The objects that it is to act on; at least one. */
  readonly samples: readonly KubeObject[]
  /** The workload. Default: the samples are created, deleted, and created again. */
  readonly steps?: readonly WorkStep[]
  /** Also workloads that change each field in the schema of a sample, and change it back. Default false. */
  readonly explore?: boolean
  /** With `explore`, how many fields of a sample are changed at most: a pod template alone has thousands. Default 400. */
  readonly mostFields?: number
  /** CEL expressions that must never be true, over `object`, `oldObject`, `deleted` (one change) and `objects` (all). Default: none. */
  readonly never?: readonly string[]
  /** What the containers of pods answer to the operator. Default: nothing, beyond what simulated containers do. */
  readonly answers?: readonly ImageAnswers[]
  /** Findings of an earlier search: only these workloads and kinds of faults are tried. Default: everything is. */
  readonly replay?: readonly ReplayedFinding[]
  /** The port at which the operator serves its webhooks. Default 9443. */
  readonly webhookPort?: number
  /** The minor version of Kubernetes 1 that it was written for: versions that were removed since then are served. Default: 1.36 alone. */
  readonly age?: number
  /** How long the timers of a program, which are real, are waited for where something seems to be wrong. Default 20 seconds. */
  readonly patienceMs?: number
  /** After this time nothing more is tried: the report is about what was. Default: all is tried. */
  readonly timeLimitMs?: number
  /** The same seed gives the same report. Default 1. */
  readonly seed?: number
  /** Called with each finding that has a new cause. */
  readonly onFinding?: (symptom: Symptom) => void
}

/** What is needed to see a finding again. */
export type ReplayedFinding = Pick<Finding, 'steps' | 'fault'>

/** What came of a search. */
export interface SearchReport {
  readonly seed: number
  /** How many workloads were run. */
  readonly workloads: number
  /** How many points there were for faults, at how many of them one was tried, and why not at the others. */
  readonly points: Readonly<PointCounts>
  /** How many clusters were started. */
  readonly runs: number
  /** With `explore`. */
  readonly explored?: ExploreReport
  /** Worst first. */
  readonly findings: readonly Finding[]
}

/**
 * Looks for faults of an operator: runs workloads undisturbed, derives from each run the points at which a crash, an old view or late
 * events may matter, and goes on from a copy of the cluster at each of them.
 *
 * ```ts
 * const { findings } = await searchOperator({ operator: { command: ['./my-operator'] }, install: [], samples: [gadget] })
 * console.log(findings.map(({ harm, symptoms }) => `${harm}: ${symptoms[0]?.text}`))
 * ```
 */
export async function searchOperator(search: OperatorSearch): Promise<SearchReport> {
  const { install, seed = 1, age, never = [], webhookPort = 9443 } = search
  if (search.samples.length === 0) throw new Error('no samples: name objects for the operator to reconcile (--sample FILE)')
  const invariants = never.map(compileInvariant)
  const { answers = [], onFinding = () => {} } = search
  const program = typeof search.operator === 'function' ? undefined : search.operator
  const host = typeof search.operator === 'function' ? inProcessHost(search.operator) : programHost(search.operator)
  // The timers of a function are those of its clock.
  const patienceMs = program === undefined ? 0 : (search.patienceMs ?? 20_000)
  const deps = { clock: searchClock(), random: seededRandom(seed) }
  await using base = await openTrialBase(
    { install, webhookPort, images: answerPrograms(answers), metrics: false, inCluster: program?.inCluster, age },
    deps,
  )
  const samples = search.samples.map((sample) => inNamespace(sample, base.resources))
  const endMs = systemClock.monotonic() + (search.timeLimitMs ?? Number.POSITIVE_INFINITY)
  const runner = new WorkloadRunner({ host, base, samples, seed, patienceMs, answers: answers.length > 0, endMs })
  const tries = new FaultSearch({ runner, invariants, onFinding })
  const inNamespaces = (work: readonly WorkStep[]) => work.map((step) => stepInNamespaces(step, base.resources))
  const steps = inNamespaces(search.steps ?? createdAgain(samples))
  await runner.learn(steps)
  if (search.replay !== undefined) {
    for (const { steps: found, fault } of search.replay) await tries.tryWorkload(inNamespaces(found), { only: fault?.kind ?? 'none' })
    return reportOf(tries, runner, seed)
  }
  await tries.tryWorkload(steps)
  const { mostFields = MOST_FIELDS } = search
  const exploring = { samples, install: install.map(inNewerVersion), mostFields }
  const explored = search.explore === true ? await exploreFields(tries, runner, exploring) : undefined
  await tries.shrink()
  for (const symptom of explored?.symptoms ?? [])
    tries.add({ symptoms: [symptom], steps: [], fault: undefined, guilty: undefined, timeline: [] })
  return { ...reportOf(tries, runner, seed), ...(explored && { explored: explored.report }) }
}

/** The workload that is tried when no other is given. */
const createdAgain = (samples: readonly KubeObject[]): WorkStep[] => [
  { name: 'create', apply: samples },
  { name: 'delete', remove: samples },
  { name: 'create again', apply: samples },
]

const reportOf = ({ workloads, coverage, findings }: FaultSearch, { runs }: WorkloadRunner, seed: number): SearchReport => ({
  seed,
  workloads,
  points: coverage.points,
  runs,
  findings: findings.all,
})
