import { systemClock } from '../../base/clock.ts'
import { Slots } from '../../base/slots.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { DiscoveredResource } from '../../sdk/client/discovery.ts'
import type { TrialBase } from '../operator-trial/trial-base.ts'
import { causeOf, type FailedHistory, Findings } from './finding.ts'
import type { RestState, SearchHistory } from './history.ts'
import type { Compared } from './oracle/comparable-state.ts'
import { chanceOf } from './oracle/judge-workload.ts'
import { type Invariant, invariantSymptoms } from './oracle/never.ts'
import type { Symptom } from './oracle/symptom.ts'
import { planFaults } from './plan/plan-faults.ts'
import { planFollowing } from './plan/plan-following.ts'
import type { PlannedFault } from './plan/planned-fault.ts'
import { guiltyMoment, guiltyWrite } from './report/guilty-moment.ts'
import { timelineText } from './report/timeline-text.ts'
import { inOrder } from './run/in-order.ts'
import type { OperatorHost } from './run/operator-host.ts'
import { resourceKey } from './run/operator-seam.ts'
import { type Recording, recordWorkload } from './run/record-workload.ts'
import { SearchWorld, SearchWorldError, type WorldSetup, type WorldStart } from './run/search-world.ts'
import { type TriedFault, tryFault } from './run/try-fault.ts'
import { shrink } from './shrink.ts'
import { type JudgedHistory, type Timing, TriedWorkload } from './tried-workload.ts'
import type { WorkStep } from './work-step.ts'

const LEADS_TO_PODS = /\/(pods|statefulsets|deployments|daemonsets|jobs|cronjobs|replicationcontrollers)$/
const ALL_PARTS: WorldSetup['parts'] = ['server', 'controllers', 'scheduler', 'nodes']

/** How often a world is begun again on a machine that is too busy. */
const MOST_TRIES = 4

/** Kinds that controllers of the cluster make and name by hashes, and what changes all the time. */
const NOT_TRACKED = new Set([
  'controllerrevisions',
  'replicasets',
  'endpoints',
  'endpointslices',
  'ipaddresses',
  'volumeattachments',
  'events',
  'leases',
  'nodes',
  'csinodes',
  'componentstatuses',
])

/** Which operator is searched, and where. */
export interface CourseConfig {
  readonly host: OperatorHost
  readonly base: TrialBase
  readonly samples: readonly KubeObject[]
  readonly seed: number
  readonly invariants: readonly Invariant[]
  /** How long real timers are waited for, where something seems to be wrong; 0: the operator has none. */
  readonly patienceMs: number
  /** Whether pods have answers for the operator. */
  readonly answers: boolean
  /** When the time is over, by the monotonic clock. */
  readonly endMs: number
  readonly onFinding: (symptom: Symptom) => void
}

/** Which faults are tried in a workload. */
export interface WorkloadFaults {
  /** Faults of this kind alone; `none`: none. Default: all. */
  readonly only?: string
  /** Leave out those whose cause was tried in another workload. Default false. */
  readonly newCauses?: boolean
}

/** How much was tried. */
export interface PointCounts {
  found: number
  tried: number
  /** Of those not tried: they lead to a state that was tried. */
  sameState: number
  /** Of those not tried: the same was tried in another workload. */
  sameCause: number
  /** Of those not tried: the time was over. */
  outOfTime: number
}

/** A search that is under way. */
export class SearchCourse {
  readonly points: PointCounts = { found: 0, tried: 0, sameState: 0, sameCause: 0, outOfTime: 0 }
  readonly compared: Compared
  readonly findings = new Findings()
  workloads = 0
  runs = 0
  readonly #config: CourseConfig
  readonly #fresh = new Map<string, Promise<RestState | undefined>>()
  readonly #causes = new Set<string>()
  readonly #slots: Slots
  /** Causes of what an operator has repaired by itself. */
  readonly #passing = new Set<string>()
  /** Whether its timers are always shortened. */
  #nudges = false
  #setup: WorldSetup

  constructor(config: CourseConfig) {
    const { base, host, samples, answers } = config
    this.#config = config
    this.#slots = new Slots(() => host.atATime)
    this.compared = { before: base.before, samples: new Set(samples.map((s) => s.kind)) }
    this.#setup = {
      host,
      home: base,
      resources: base.resources,
      tracked: base.resources.filter(isTracked),
      parts: ALL_PARTS,
      answers,
      samples,
    }
  }

  /** Finds out which kinds the operator and the cluster change: the others need not be followed. */
  async learn(steps: readonly WorkStep[]): Promise<void> {
    const { history } = await this.#recordOnce(steps)
    const refused = [...history.refusals][0]
    if (refused !== undefined) throw new Error(`step ${refused[0] + 1} (${steps[refused[0]]?.name}) is refused: ${refused[1]}`)
    const tracked = this.#setup.tracked.filter((r) => this.compared.samples.has(r.kind) || r.resource === 'pods')
    this.#setup = { ...this.#setup, tracked, parts: ['server', 'controllers'] }
    this.#follow(history)
    this.#nudges = this.#config.patienceMs > 0 && (await this.#hasTimers(steps))
  }

  /** Whether the operator has more to do after a while than it does at once. */
  async #hasTimers(steps: readonly WorkStep[]): Promise<boolean> {
    const [once, again, nudged] = [await this.#recordOnce(steps), await this.#recordOnce(steps), await this.#recordOnce(steps, 'nudged')]
    const chance = chanceOf(once, again, this.compared)
    return [...chanceOf(once, nudged, this.compared)].some((path) => !chance.has(path))
  }

  /** Carries tasks out, as many at a time as the operator can run. */
  async all<T>(tasks: readonly T[], work: (task: T) => Promise<void>): Promise<void> {
    const all = inOrder(tasks, { work: async (task) => (this.isOver ? undefined : work(task)), atATime: () => this.#config.host.atATime })
    for await (const _ of all);
  }

  /**
   * A workload undisturbed; all kinds that it changes are followed. What goes wrong by chance is recorded again: it has no points to try.
   */
  async record(steps: readonly WorkStep[]): Promise<Recording> {
    const first = await this.#recordOnce(steps)
    const recording = this.#follow(first.history) ? await this.#recordOnce(steps) : first
    return isBroken(recording.history) ? this.#recordOnce(steps) : recording
  }

  /** Tries a workload undisturbed, and with faults. Resolves with what happened without any. */
  async tryWorkload(steps: readonly WorkStep[], faults: WorkloadFaults = {}): Promise<SearchHistory> {
    this.workloads++
    const workload = await this.#workload(steps)
    const chosen = this.#choose(workload.recording, faults)
    const following = (planned: readonly PlannedFault[]) => this.#count(planned, this.#ofNewCause(planned))
    for await (const failed of this.#failures(workload, chosen, following)) this.add(failed)
    return workload.recording.history
  }

  /** Whether the time is over: nothing more is begun. */
  get isOver(): boolean {
    return systemClock.monotonic() >= this.#config.endMs
  }

  add(failed: FailedHistory): void {
    if (this.findings.add(failed)) this.#config.onFinding(failed.symptoms[0])
  }

  /** Shortens the history of each finding. */
  shrink(): Promise<void> {
    return this.findings.shrink((failed) =>
      failed.steps.length > 1 && !this.isOver ? shrink(failed, (...again) => this.#retry(...again)) : Promise.resolve(failed),
    )
  }

  /** Which of these objects the API server would accept, before there is an operator. */
  async accepted(objects: readonly KubeObject[]): Promise<boolean[]> {
    await using world = await SearchWorld.open(
      { ...this.#setup, parts: ['server'], tracked: [] },
      { from: this.#config.base.checkpoint, seed: 1, nudges: false, patienceMs: 0, endMs: this.#config.endMs },
    )
    return Promise.all(objects.map((object) => world.user.accepts(object)))
  }

  #choose(recording: Recording, { only, newCauses = false }: WorkloadFaults): readonly PlannedFault[] {
    if (isBroken(recording.history)) return []
    const plan = planFaults(recording)
    const wanted = plan.faults.filter(({ kind }) => only === undefined || kind === only)
    this.points.found += plan.points - wanted.length
    this.points.sameState += plan.points - plan.faults.length
    return this.#count(wanted, newCauses ? this.#ofNewCause(wanted) : wanted)
  }

  #ofNewCause(planned: readonly PlannedFault[]): PlannedFault[] {
    return planned.filter(({ cause }) => !this.#causes.has(cause))
  }

  /** Counts these faults, of which the chosen ones are tried. */
  #count(planned: readonly PlannedFault[], chosen: readonly PlannedFault[]): readonly PlannedFault[] {
    for (const { cause } of chosen) this.#causes.add(cause)
    this.points.found += planned.length
    this.points.tried += chosen.length
    this.points.sameCause += planned.length - chosen.length
    return chosen
  }

  /** Follows the kinds of a history, too, from now on. Returns whether one is new. */
  #follow({ changes, calls }: SearchHistory): boolean {
    const touched = new Set([...changes.map((c) => c.ref), ...calls.map((c) => c.target)].map(resourceKey))
    const known = new Set(this.#setup.tracked)
    const tracked = this.#config.base.resources.filter((r) => known.has(r) || (isTracked(r) && touched.has(resourceKey(r))))
    // Without pods there is nothing to schedule or to run.
    const parts = [...touched].some((key) => LEADS_TO_PODS.test(key)) ? ALL_PARTS : this.#setup.parts
    this.#setup = { ...this.#setup, tracked, parts }
    return tracked.length > known.size
  }

  async *#retry(steps: readonly WorkStep[], kind: string | undefined): AsyncGenerator<FailedHistory> {
    const workload = await this.#workload(steps)
    const faults = kind === undefined ? [] : planFaults(workload.recording).faults.filter((f) => f.kind === kind)
    yield* this.#failures(workload, faults, (planned) => planned)
  }

  async #workload(steps: readonly WorkStep[]): Promise<TriedWorkload> {
    return new TriedWorkload(await this.record(steps), this.compared, {
      again: (timing) => this.#recordOnce(steps, timing),
      fresh: (objects, timing) => this.#freshEnd(objects, timing),
      retries: (fault, symptom) => this.#retries(causeOf({ fault, symptoms: [symptom] })),
      passed: (fault, symptom) => this.#passing.add(causeOf({ fault, symptoms: [symptom] })),
    })
  }

  /**
   * What goes wrong in a workload, undisturbed and with each of these faults; twice, or it does not count. `following`: which of
   * those are tried that follow from one.
   */
  async *#failures(
    workload: TriedWorkload,
    faults: readonly PlannedFault[],
    following: (planned: readonly PlannedFault[]) => readonly PlannedFault[],
  ): AsyncGenerator<FailedHistory> {
    const { history: usual } = workload.recording
    const { symptoms, history } = await workload.symptoms()
    yield* failed([...this.#breaches(history), ...symptoms], { workload, history })
    const tries = inOrder(faults, {
      work: (fault) => this.#symptomsWith(workload, fault),
      atATime: () => this.#config.host.atATime,
      following: (fault, result) => (result === undefined ? [] : following(planFollowing(fault, result, usual))),
    })
    for await (const [fault, result] of tries)
      if (result === undefined) {
        this.points.tried--
        this.points.outOfTime++
      } else yield* failed(result.symptoms, { workload, history: result.history, fault })
  }

  /** Undefined: the time was over before it could be judged. */
  async #symptomsWith(workload: TriedWorkload, fault: PlannedFault): Promise<(JudgedHistory & { readonly tried: TriedFault }) | undefined> {
    if (this.isOver) return undefined
    const { steps } = workload.recording
    const attempt = (timing: Timing) => this.#inWorld(() => tryFault(this.#setup, fault, steps, this.#start(timing)))
    const tried = await attempt('at once')
    if (this.isOver) return undefined
    const { symptoms, history } = await workload.faultSymptoms(fault, tried.history, async (timing) => (await attempt(timing)).history)
    return { symptoms: [...this.#breaches(history), ...symptoms], history, tried }
  }

  #breaches({ changes }: SearchHistory): Symptom[] {
    return invariantSymptoms(this.#config.invariants, changes)
  }

  /** A program's own timers may repair something: for each cause they are waited for once. */
  #retries(cause: string): readonly Timing[] {
    if (this.isOver) return []
    if (this.#config.patienceMs === 0 || this.findings.has(cause)) return ['at once', 'at once']
    return this.#passing.has(cause) ? [] : ['patient']
  }

  #recordOnce(steps: readonly WorkStep[], timing: Timing = 'at once'): Promise<Recording> {
    const from = this.#config.base.checkpoint
    return this.#inWorld(() => recordWorkload(this.#setup, { from, ...this.#start(timing) }, steps))
  }

  /** What happens on a machine that was too busy is no evidence: it is tried again. */
  async #inWorld<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#slots.run(work)
      } catch (error) {
        if (tries === MOST_TRIES || !(error instanceof SearchWorldError)) throw error
      }
  }

  #start(timing: Timing): Omit<WorldStart, 'from'> {
    const patienceMs = timing === 'patient' ? this.#config.patienceMs : 0
    return { seed: this.#nextSeed(), nudges: this.#nudges || timing !== 'at once', patienceMs, endMs: this.#config.endMs }
  }

  /** A copy of a cluster with the seed of its origin would give new objects the uids of old ones. */
  #nextSeed(): number {
    return this.#config.seed * 100_000 + ++this.runs
  }

  #freshEnd(apply: readonly KubeObject[], timing: Timing): Promise<RestState | undefined> {
    const key = JSON.stringify([timing, apply])
    const known = this.#fresh.get(key)
    if (known !== undefined) return known
    const fresh = this.#recordOnce([{ name: 'the end alone', apply }], timing).then(({ history }) => history.rests.at(-1))
    this.#fresh.set(key, fresh)
    return fresh
  }
}

/** An operator that fails without any fault shows nothing with one, and one that never rests has points without end. */
const isBroken = ({ deaths, rests }: SearchHistory) => deaths.length > 0 || rests.some((rest) => rest.restless !== undefined)

interface FailedRun {
  readonly workload: TriedWorkload
  readonly history: SearchHistory
  readonly fault?: PlannedFault
}

function* failed([worst, ...others]: readonly Symptom[], { workload, history, fault }: FailedRun): Generator<FailedHistory> {
  if (worst === undefined) return
  const { steps, history: usual } = workload.recording
  const changes = [...(fault === undefined ? [] : usual.changes.slice(0, fault.at.changes)), ...history.changes]
  const write = guiltyWrite(worst, history.calls, changes)
  const guilty = write && guiltyMoment(write, changes)
  yield { symptoms: [worst, ...others], steps, fault, timeline: timelineText(history, write), guilty }
}

const isTracked = ({ resource, verbs, preferred }: DiscoveredResource) =>
  preferred && !resource.includes('/') && verbs.includes('list') && verbs.includes('watch') && !NOT_TRACKED.has(resource)
