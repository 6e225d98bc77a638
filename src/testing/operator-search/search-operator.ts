import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { DiscoveredResource } from '../../sdk/client/discovery.ts'
import { openTrialBase, type TrialBase } from '../operator-trial/trial-base.ts'
import { exploreWorkloads } from './explore/explore-workloads.ts'
import { type FailedHistory, type Finding, Findings } from './finding.ts'
import type { RestState, SearchHistory } from './history.ts'
import type { Compared } from './oracle/comparable-state.ts'
import { FieldEffects } from './oracle/field-effects.ts'
import { faultSymptoms } from './oracle/judge-fault.ts'
import { chanceOf, type JudgedWorkload, workloadSymptoms } from './oracle/judge-workload.ts'
import { compileInvariant, type Invariant, invariantSymptoms } from './oracle/never.ts'
import type { Symptom } from './oracle/symptom.ts'
import { planFaults } from './plan/plan-faults.ts'
import type { PlannedFault } from './plan/planned-fault.ts'
import { timelineText } from './report/timeline-text.ts'
import type { OperatorHost } from './run/operator-host.ts'
import { resourceKey } from './run/operator-seam.ts'
import { type Recording, recordWorkload } from './run/record-workload.ts'
import { searchClock, type WorldSetup } from './run/search-world.ts'
import { tryFault } from './run/try-fault.ts'
import { shrink } from './shrink.ts'
import { desiredAfter, type WorkStep } from './work-step.ts'

/** An operator, and what is tried with it. */
export interface OperatorSearch {
  readonly host: OperatorHost
  /** What has to be there before it: definitions, namespaces, configuration. */
  readonly install: readonly KubeObject[]
  /** The objects that it is to act on; at least one. */
  readonly samples: readonly KubeObject[]
  /** The workload. Default: the samples are created, deleted, and created again. */
  readonly steps?: readonly WorkStep[]
  /** Also workloads that change each field in the schema of a sample, and change it back. Default false. */
  readonly explore?: boolean
  /** CEL expressions that must never be true, over `object`, `oldObject`, `deleted` (one change) and `objects` (all). Default: none. */
  readonly never?: readonly string[]
  /** Findings of an earlier search: only these workloads and kinds of faults are tried. Default: everything is. */
  readonly replay?: readonly ReplayedFinding[]
  /** The port at which the operator serves its webhooks. Default 9443. */
  readonly webhookPort?: number
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
  /** How many points there were for faults, and at how many of them one was tried; the others have the same cause as one that was. */
  readonly points: { readonly found: number; readonly tried: number }
  /** How many clusters were started. */
  readonly runs: number
  /** Worst first. */
  readonly findings: readonly Finding[]
}

const LEADS_TO_PODS = /\/(pods|statefulsets|deployments|daemonsets|jobs|cronjobs|replicationcontrollers)$/
const ALL_PARTS: WorldSetup['parts'] = ['server', 'controllers', 'scheduler', 'nodes']

/** Kinds that controllers of the cluster make and name by hashes, and what changes all the time. */
const NOT_TRACKED = new Set([
  'controllerrevisions',
  'replicasets',
  'endpoints',
  'endpointslices',
  'events',
  'leases',
  'nodes',
  'csinodes',
  'componentstatuses',
])

/**
 * Looks for faults of an operator: runs workloads undisturbed, derives from each run the points at which a crash, an old view or late
 * events may matter, and goes on from a copy of the cluster at each of them.
 */
export async function searchOperator(search: OperatorSearch): Promise<SearchReport> {
  const { install, samples, seed = 1, never = [], webhookPort = 9443 } = search
  if (samples.length === 0) throw new Error('an operator needs a sample to act on')
  const invariants = never.map(compileInvariant)
  await using base = await openTrialBase(install, webhookPort, { clock: searchClock(), random: seededRandom(seed) })
  const course = new SearchCourse(search, base, { seed, invariants })
  const steps = search.steps ?? [
    { name: 'create', apply: samples },
    { name: 'delete', remove: samples },
    { name: 'create again', apply: samples },
  ]
  await course.learn(steps)
  if (search.replay !== undefined) {
    for (const { steps: own, fault } of search.replay) await course.tryWorkload(own, { only: fault?.kind ?? 'none' })
    return course.report()
  }
  await course.tryWorkload(steps)
  if (search.explore === true)
    for (const { field, steps: own } of exploreWorkloads(samples, install)) await course.tryWorkload(own, { field })
  await course.shrink()
  return course.report()
}

/** A search that is under way. */
class SearchCourse {
  readonly #search: OperatorSearch
  readonly #base: TrialBase
  readonly #seed: number
  readonly #invariants: readonly Invariant[]
  readonly #findings = new Findings()
  readonly #compared: Compared
  readonly #effects: FieldEffects
  readonly #fresh = new Map<string, Promise<RestState | undefined>>()
  #setup: WorldSetup
  #points = 0
  #tried = 0
  #workloads = 0
  #runs = 0

  constructor(search: OperatorSearch, base: TrialBase, { seed, invariants }: { seed: number; invariants: readonly Invariant[] }) {
    this.#search = search
    this.#base = base
    this.#seed = seed
    this.#invariants = invariants
    this.#compared = { before: base.before, samples: new Set(search.samples.map((s) => s.kind)) }
    this.#effects = new FieldEffects(this.#compared)
    const tracked = base.resources.filter(isTracked)
    const { host } = search
    this.#setup = { host, home: base, resources: base.resources, tracked, parts: ALL_PARTS }
  }

  /** Finds out which kinds the operator and the cluster change: the others need not be followed. */
  async learn(steps: readonly WorkStep[]): Promise<void> {
    const { history } = await this.#record(steps)
    const refused = [...history.refusals][0]
    if (refused !== undefined) throw new Error(`step ${refused[0] + 1} (${steps[refused[0]]?.name}) is refused: ${refused[1]}`)
    const { samples } = this.#compared
    const tracked = this.#setup.tracked.filter((r) => samples.has(r.kind) || r.resource === 'pods')
    this.#setup = { ...this.#setup, tracked, parts: ['server', 'controllers'] }
    this.#follow(history)
  }

  /** Follows the kinds of a history, too, from now on. Returns whether one is new. */
  #follow({ changes, calls }: SearchHistory): boolean {
    const touched = new Set([...changes.map((c) => c.ref), ...calls.map((c) => c.target)].map(resourceKey))
    const known = new Set(this.#setup.tracked)
    const tracked = this.#base.resources.filter((r) => known.has(r) || (isTracked(r) && touched.has(resourceKey(r))))
    // Without pods there is nothing to schedule or to run.
    const parts = [...touched].some((key) => LEADS_TO_PODS.test(key)) ? ALL_PARTS : this.#setup.parts
    this.#setup = { ...this.#setup, tracked, parts }
    return tracked.length > known.size
  }

  /** Tries a workload undisturbed, and with every fault that may matter, or those of one kind. `field`: what its second step changes. */
  async tryWorkload(steps: readonly WorkStep[], { field, only }: { readonly field?: string; readonly only?: string } = {}): Promise<void> {
    this.#workloads++
    const judged = await this.#judge(steps)
    if (field !== undefined) this.#effects.add(field, judged.recording.history)
    const plan = planFaults(judged.recording)
    this.#points += plan.points
    const faults = plan.faults.filter(({ kind }) => only === undefined || kind === only)
    this.#tried += faults.length
    for await (const failed of this.#failures(judged, faults)) if (this.#findings.add(failed)) this.#search.onFinding?.(failed.symptoms[0])
  }

  /** Shortens the history of each finding. */
  shrink(): Promise<void> {
    return this.#findings.shrink((failed) =>
      failed.steps.length > 1 ? shrink(failed, (...again) => this.#retry(...again)) : Promise.resolve(failed),
    )
  }

  async *#retry(steps: readonly WorkStep[], kind: string | undefined): AsyncGenerator<FailedHistory> {
    const judged = await this.#judge(steps)
    yield* this.#failures(judged, kind === undefined ? [] : planFaults(judged.recording).faults.filter((f) => f.kind === kind))
  }

  /** What goes wrong in a workload, undisturbed and with each of these faults. */
  async *#failures(judged: JudgedWorkload, faults: readonly PlannedFault[]): AsyncGenerator<FailedHistory> {
    const { steps, history } = judged.recording
    yield* this.#failed([...this.#breaches(history), ...workloadSymptoms(judged)], { steps, history })
    for (const fault of faults) {
      const tried = await tryFault(this.#setup, fault, steps, this.#nextSeed())
      yield* this.#failed([...this.#breaches(tried), ...faultSymptoms(judged, fault, tried)], { steps, history: tried, fault })
    }
  }

  report(): SearchReport {
    for (const symptom of this.#effects.symptoms) this.#findings.add({ symptoms: [symptom], steps: [], fault: undefined, timeline: [] })
    const points = { found: this.#points, tried: this.#tried }
    return { seed: this.#seed, workloads: this.#workloads, points, runs: this.#runs, findings: this.#findings.all }
  }

  async #judge(steps: readonly WorkStep[]): Promise<JudgedWorkload> {
    const first = await this.#record(steps)
    const recording = this.#follow(first.history) ? await this.#record(steps) : first
    const other = await this.#record(steps)
    const masked = chanceOf(recording, other, this.#compared)
    return { recording, masked, fresh: await this.#freshEnd(steps), compared: this.#compared }
  }

  #breaches({ changes }: SearchHistory): Symptom[] {
    return invariantSymptoms(this.#invariants, changes)
  }

  #record(steps: readonly WorkStep[]): Promise<Recording> {
    return recordWorkload(this.#setup, { from: this.#base.checkpoint, seed: this.#nextSeed() }, steps)
  }

  /** A copy of a cluster with the seed of its origin would give new objects the uids of old ones. */
  #nextSeed(): number {
    return this.#seed * 100_000 + ++this.#runs
  }

  #freshEnd(steps: readonly WorkStep[]): Promise<RestState | undefined> {
    const apply = [...(desiredAfter(steps).at(-1)?.values() ?? [])]
    const key = JSON.stringify(apply)
    const known = this.#fresh.get(key)
    if (known !== undefined) return known
    const fresh = this.#record([{ name: 'the end alone', apply }]).then(({ history }) => history.rests.at(-1))
    this.#fresh.set(key, fresh)
    return fresh
  }

  *#failed(
    [worst, ...others]: readonly Symptom[],
    { steps, history, fault }: { steps: readonly WorkStep[]; history: SearchHistory; fault?: PlannedFault },
  ): Generator<FailedHistory> {
    if (worst !== undefined) yield { symptoms: [worst, ...others], steps, fault, timeline: timelineText(history) }
  }
}

const isTracked = ({ resource, verbs, preferred }: DiscoveredResource) =>
  preferred && !resource.includes('/') && verbs.includes('list') && verbs.includes('watch') && !NOT_TRACKED.has(resource)
