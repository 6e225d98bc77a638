import { systemClock } from '../../base/clock.ts'
import { Slots } from '../../base/slots.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { DiscoveredResource } from '../../sdk/client/discovery.ts'
import type { TrialBase } from '../operator-trial/trial-base.ts'
import { isBroken, type RestState, type SearchHistory } from './history.ts'
import type { Compared } from './oracle/comparable-state.ts'
import { chanceOf } from './oracle/judge-workload.ts'
import type { PlannedFault } from './plan/planned-fault.ts'
import { inOrder } from './run/in-order.ts'
import type { OperatorHost } from './run/operator-host.ts'
import { resourceKey } from './run/operator-seam.ts'
import { type Recording, recordWorkload } from './run/record-workload.ts'
import { SearchWorld, SearchWorldError, type WorldSetup, type WorldStart } from './run/search-world.ts'
import { type TriedFault, tryFault } from './run/try-fault.ts'
import type { Timing } from './tried-workload.ts'
import type { WorkStep } from './work-step.ts'

const LEADS_TO_PODS = /\/(pods|statefulsets|deployments|daemonsets|jobs|cronjobs|replicationcontrollers)$/
const ALL_PARTS: WorldSetup['parts'] = ['server', 'controllers', 'scheduler', 'nodes']

/** How often a world is started again on a machine that is too busy. */
const MOST_ATTEMPTS = 4

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

export interface RunnerConfig {
  readonly host: OperatorHost
  readonly base: TrialBase
  readonly samples: readonly KubeObject[]
  readonly seed: number
  /** How long real timers are waited for, where something seems to be wrong; 0: the operator has none. */
  readonly patienceMs: number
  /** Whether pods have answers for the operator. */
  readonly answers: boolean
  /** When the time is over, by the monotonic clock. */
  readonly endMs: number
}

/** Runs workloads, each in a cluster of its own with the operator in it, and follows the kinds that they change. */
export class WorkloadRunner {
  readonly compared: Compared
  /** How many clusters were started. */
  runs = 0
  readonly #config: RunnerConfig
  readonly #fresh = new Map<string, Promise<RestState | undefined>>()
  readonly #slots: Slots
  /** Whether the operator's timers are always shortened. */
  #nudges = false
  #setup: WorldSetup

  constructor(config: RunnerConfig) {
    const { base, host, samples, answers } = config
    this.#config = config
    this.#slots = new Slots(() => host.atATime)
    this.compared = { before: base.before, samples: new Set(samples.map((s) => s.kind)) }
    const { resources } = base
    this.#setup = { host, home: base, resources, tracked: resources.filter(isTracked), parts: ALL_PARTS, answers, samples }
  }

  /** Whether the time is over: nothing more is begun. */
  get isOver(): boolean {
    return systemClock.monotonic() >= this.#config.endMs
  }

  get hasRealTimers(): boolean {
    return this.#config.patienceMs > 0
  }

  get atATime(): number {
    return this.#config.host.atATime
  }

  /** Finds out which kinds the operator and the cluster change: the others need not be followed. */
  async learn(steps: readonly WorkStep[]): Promise<void> {
    const { history } = await this.run(steps)
    const refused = [...history.refusals][0]
    if (refused !== undefined) throw new Error(`step ${refused[0] + 1} (${steps[refused[0]]?.name}) is refused: ${refused[1]}`)
    const tracked = this.#setup.tracked.filter((r) => this.compared.samples.has(r.kind) || r.resource === 'pods')
    this.#setup = { ...this.#setup, tracked, parts: ['server', 'controllers'] }
    this.#follow(history)
    this.#nudges = this.hasRealTimers && (await this.#doesMoreLater(steps))
  }

  /** Carries tasks out, as many at a time as the operator can run. */
  async all<T>(tasks: readonly T[], work: (task: T) => Promise<void>): Promise<void> {
    const all = inOrder(tasks, { work: async (task) => (this.isOver ? undefined : work(task)), atATime: () => this.atATime })
    for await (const _ of all);
  }

  /**
   * A workload undisturbed; all kinds that it changes are followed. What goes wrong by chance is recorded again: it has no points to try.
   */
  async record(steps: readonly WorkStep[]): Promise<Recording> {
    const first = await this.run(steps)
    const recording = this.#follow(first.history) ? await this.run(steps) : first
    return isBroken(recording.history) ? this.run(steps) : recording
  }

  /** Runs a workload undisturbed, once. */
  run(steps: readonly WorkStep[], timing: Timing = 'at once'): Promise<Recording> {
    const from = this.#config.base.checkpoint
    return this.#inWorld(() => recordWorkload(this.#setup, { from, ...this.#start(timing) }, steps))
  }

  tryFault(fault: PlannedFault, steps: readonly WorkStep[], timing: Timing): Promise<TriedFault> {
    return this.#inWorld(() => tryFault(this.#setup, fault, steps, this.#start(timing)))
  }

  /** The end state of a new cluster in which these objects alone were ever applied. */
  freshEnd(apply: readonly KubeObject[], timing: Timing): Promise<RestState | undefined> {
    const key = JSON.stringify([timing, apply])
    const known = this.#fresh.get(key)
    if (known !== undefined) return known
    const fresh = this.run([{ name: 'the end alone', apply }], timing).then(({ history }) => history.rests.at(-1))
    this.#fresh.set(key, fresh)
    return fresh
  }

  /** Which of these objects the API server would accept, before there is an operator. */
  async accepted(objects: readonly KubeObject[]): Promise<boolean[]> {
    await using world = await SearchWorld.open(
      { ...this.#setup, parts: ['server'], tracked: [] },
      { from: this.#config.base.checkpoint, seed: 1, nudges: false, patienceMs: 0, endMs: this.#config.endMs },
    )
    return Promise.all(objects.map((object) => world.user.accepts(object)))
  }

  /** Whether the operator has more to do after a while than it does at once. */
  async #doesMoreLater(steps: readonly WorkStep[]): Promise<boolean> {
    const [once, again, nudged] = [await this.run(steps), await this.run(steps), await this.run(steps, 'nudged')]
    const chance = chanceOf(once, again, this.compared)
    return [...chanceOf(once, nudged, this.compared)].some((path) => !chance.has(path))
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

  /** What happens on a machine that was too busy is no evidence: it is tried again. */
  async #inWorld<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#slots.run(work)
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || !(error instanceof SearchWorldError)) throw error
      }
  }

  #start(timing: Timing): Omit<WorldStart, 'from'> {
    const { patienceMs, endMs, seed } = this.#config
    // A copy of a cluster with the seed of its origin would give new objects the uids of old ones.
    const ownSeed = seed * 100_000 + ++this.runs
    return { seed: ownSeed, nudges: this.#nudges || timing !== 'at once', patienceMs: timing === 'patient' ? patienceMs : 0, endMs }
  }
}

const isTracked = ({ resource, verbs, preferred }: DiscoveredResource) =>
  preferred && !resource.includes('/') && verbs.includes('list') && verbs.includes('watch') && !NOT_TRACKED.has(resource)
