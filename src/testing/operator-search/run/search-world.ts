import { systemClock, VirtualClock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { type Random, seededRandom } from '../../../base/random.ts'
import type { Cluster, ClusterCheckpoint } from '../../../cluster/cluster.ts'
import type { Part } from '../../../cluster/cluster-options.ts'
import type { ApiCall } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { DiscoveredResource } from '../../../sdk/client/discovery.ts'
import { keyOf } from '../../operator-trial/trial-base.ts'
import type { OperatorCall, RestState, SearchHistory } from '../history.ts'
import { desiredAfter, type WorkStep } from '../work-step.ts'
import type { EventHold } from './event-hold.ts'
import { ObjectTracker } from './object-tracker.ts'
import type { OperatorHost, OperatorRun, RunDeps } from './operator-host.ts'
import type { PastView, SeamRules } from './operator-seam.ts'
import { callTarget, isWork } from './operator-work.ts'
import { TrialUser } from './trial-user.ts'
import { isNews, Refusals } from './unrest.ts'

/** Why a world is no evidence about its operator. */
export class SearchWorldError extends Error {
  override readonly name = 'SearchWorldError'
  /** `overloaded`: the operator has lost its lease, whose time is real. `disturbed`: another run of it had its port. */
  readonly code: 'overloaded' | 'disturbed'

  constructor(code: SearchWorldError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** What all worlds of a search share. */
export interface WorldSetup {
  readonly host: OperatorHost
  readonly home: RunDeps['home']
  /** All resources of the cluster. */
  readonly resources: readonly DiscoveredResource[]
  /** Those whose objects are followed and compared. */
  readonly tracked: readonly DiscoveredResource[]
  readonly parts: readonly Part[]
  /** Whether pods have answers for the operator. */
  readonly answers: boolean
  /** What the operator acts on. */
  readonly samples: readonly KubeObject[]
}

/** How the operator's real timers are dealt with. */
export interface TimerRules {
  /** At each rest the samples are touched, so that the operator does at once what it would do after a while. */
  readonly nudges: boolean
  /** How long the timers are waited for at each rest after the first step, but not after `endMs` of the monotonic clock. */
  readonly patienceMs: number
  readonly endMs: number
}

/** How a world begins. */
export interface WorldStart extends TimerRules {
  readonly from: ClusterCheckpoint
  readonly seed: number
}

/** Virtual time without a write or a change, after which nothing more is expected. */
export const QUIET_MS = 30_000
/** An operator that still writes after this much virtual time never comes to rest. */
const LONGEST_UNREST_MS = 600_000
/** A world with more calls is a flood. */
const MOST_CALLS = 5000
/** A kubelet restarts a container that has ended, after a while. */
const RESTART_MS = 10_000
const MOST_RESTARTS = 3
/** What the operator's own timers do within this time is waited for. */
const LONGEST_TIMER_MS = 120_000
/** How often its real timers are waited for, and how often it is nudged at a rest. */
const MOST_LINGERS = 3
const MOST_NUDGES = 5
/** The time of a lease is real: an operator that gets no processor loses it. */
const LEASE_LOST = /leader election lost|leaderelection lost|failed to renew lease|leadership was lost/i
const OVERLOADED = 'this machine is too busy to judge the operator, which lost its lease'
const DISTURBED = 'another run of the operator had its port'

interface WorldDeps {
  readonly cluster: Cluster
  readonly clock: VirtualClock
  readonly random: Random
  readonly timers: TimerRules
}

/** A cluster on virtual time with the operator in it, and what happens there. */
export class SearchWorld implements AsyncDisposable {
  readonly cluster: Cluster
  readonly clock: VirtualClock
  readonly client: Client
  /** Who changes the objects that the operator acts on. */
  readonly user: TrialUser
  /** The step that is carried out; -1: none yet. */
  step = -1
  /** How many actions of the step have been carried out. */
  actions = 0
  /** The operator waits for it before and after each of its writes. */
  aroundWrite: SeamRules['aroundWrite']
  readonly holds = new Map<string, EventHold>()
  /** How many of its writes are held back. */
  heldWrites = 0
  readonly #random: Random
  readonly #setup: WorldSetup
  readonly #startMs: number
  readonly #calls: OperatorCall[] = []
  readonly #rests: RestState[] = []
  readonly #marks: { atMs: number; what: string }[] = []
  readonly #refusals = new Map<number, string>()
  readonly #deaths: string[] = []
  #tracker: ObjectTracker | undefined
  #view: PastView | undefined
  #life = 0
  #killed = new AbortController()
  readonly #runs: OperatorRun[] = []
  readonly #refused = new Refusals()
  #lastRefusalMs = 0
  /** Why the world is no evidence about the operator. */
  #unfit: SearchWorldError | undefined
  #awaitedCalls: { readonly count: number; readonly reached: () => void } | undefined
  #news = { atMs: 0, count: 0 }
  readonly #timers: TimerRules

  private constructor(setup: WorldSetup, { cluster, clock, random, timers }: WorldDeps) {
    this.cluster = cluster
    this.clock = clock
    this.client = cluster.client()
    this.#setup = setup
    this.#random = random
    this.#startMs = clock.now()
    this.#timers = timers
    this.user = new TrialUser({ client: this.client, clock, resources: setup.resources, pass: (spanMs) => this.pass(spanMs) })
  }

  static async open(setup: WorldSetup, { from, seed, ...timers }: WorldStart): Promise<SearchWorld> {
    const clock = searchClock()
    const random = seededRandom(seed)
    const cluster = await from.fork({ parts: setup.parts }, { clock, random, freeze: false })
    const world = new SearchWorld(setup, { cluster, clock, random, timers })
    world.#tracker = await ObjectTracker.open({ client: world.client, clock, resources: setup.tracked, step: () => world.step })
    return world
  }

  get history(): SearchHistory {
    const changes = this.#tracker?.changes ?? []
    return { calls: this.#calls, changes, rests: this.#rests, marks: this.#marks, refusals: this.#refusals, deaths: this.#deaths }
  }

  /** Writes down what the trial does now. */
  mark(what: string): void {
    this.#marks.push({ atMs: this.clock.now(), what })
  }

  /** Starts the operator, which sees this past at first. */
  start(view?: PastView): void {
    this.#killed = new AbortController()
    this.#view = view
    void view?.over.then(() => {
      if (this.#view === view) this.#view = undefined
    })
    const { signal } = this.#killed
    const life = ++this.#life
    const { host, home, answers } = this.#setup
    const seen = new Map<string, string>()
    const rules: SeamRules = {
      begin: (call) => this.#begin(call, life, seen),
      aroundWrite: (call, when) => this.#aroundWrite(call, when),
      survived: (how) => this.#survived(how),
      seen,
      view: () => this.#view,
      holds: this.holds,
      heldWrites: () => this.heldWrites,
      signal,
    }
    const run = host.start({ cluster: this.cluster, clock: this.clock, random: this.#random, rules, home, answers })
    this.#runs.push(run)
    void run.died.then((how) => this.#died(how, run, signal))
  }

  /** Ends the operator as SIGKILL does. */
  async kill(): Promise<void> {
    this.#killed.abort(new DOMException('the operator was killed', 'AbortError'))
    await Promise.all(this.#runs.splice(0).map((run) => run.gone()))
  }

  /** Carries out the rest of the current step. */
  async act(steps: readonly WorkStep[]): Promise<void> {
    const { apply = [], remove = [] } = steps[this.step] ?? {}
    const before = desiredAfter(steps)[this.step - 1]
    const actions = [
      ...apply.map((object) => () => this.user.apply(object, before?.get(keyOf(object)))),
      ...remove.map((object) => () => this.user.remove(object)),
    ]
    for (const action of actions.slice(this.actions)) {
      this.actions++
      await action().catch((error: unknown) => {
        this.#refusals.set(this.step, messageOf(error))
        this.mark(`the API server refuses it: ${messageOf(error)}`)
      })
    }
  }

  /** Lets so much time pass, whatever happens. */
  pass(spanMs: number): Promise<void> {
    return this.#setup.host.pass(this.clock, spanMs)
  }

  /** Resolves when the operator has made so many more calls. */
  afterCalls(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#awaitedCalls = { count: this.#calls.length + count, reached: resolve }
    return promise
  }

  /** Lets time pass until nothing happens any more. */
  async rest(): Promise<RestState> {
    const startMs = this.clock.now()
    this.#refused.clear()
    let restless: string | undefined
    for (let waited = -1, nudged = -1, nudges = 0, lingers = 0; ; ) {
      await this.pass(QUIET_MS)
      if (this.#unfit !== undefined) throw this.#unfit
      const news = this.#lastNews()
      if (this.#calls.length >= MOST_CALLS) restless = `it floods the API server: ${MOST_CALLS} requests`
      else if (this.clock.now() - startMs > LONGEST_UNREST_MS) restless = 'it never comes to rest'
      else if (this.clock.now() - Math.max(this.#lastRefusalMs, news.atMs) < QUIET_MS) continue
      else if (waited < news.count && (await this.#waitForTimers())) {
        waited = news.count
        continue
      } else if (this.#timers.nudges && nudged < news.count && nudges++ < MOST_NUDGES) {
        nudged = news.count
        await this.user.nudge(this.#setup.samples)
        continue
      } else if (this.step >= 0 && lingers++ < MOST_LINGERS && (await this.#linger())) continue
      const failing = this.#refused.failing(news.count)
      const state = { step: this.step, objects: this.#tracker?.objects ?? [], restless, failing }
      this.#rests.push(state)
      return state
    }
  }

  /** Waits for its real timers, as far as there is time. Resolves with whether it has written. */
  async #linger(): Promise<boolean | undefined> {
    const { patienceMs, endMs } = this.#timers
    return this.#runs.at(-1)?.linger?.(Math.min(patienceMs, endMs - systemClock.monotonic()))
  }

  /** What the operator does after a while is waited for once. */
  async #waitForTimers(): Promise<boolean> {
    const dueMs = this.#runs.at(-1)?.dueWithin?.(LONGEST_TIMER_MS) ?? 0
    if (dueMs > 0) await this.pass(dueMs)
    return dueMs > 0
  }

  /** The last change that is more than times and counts, and how many changes there were until then. */
  #lastNews(): { readonly atMs: number; readonly count: number } {
    const changes = this.#tracker?.changes ?? []
    for (let i = changes.length - 1; i >= this.#news.count; i--) {
      const change = changes[i]
      if (change === undefined || !isNews(change)) continue
      this.#news = { atMs: change.atMs, count: i + 1 }
      break
    }
    return this.#news
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.#tracker?.[Symbol.asyncDispose]()
    await this.cluster[Symbol.asyncDispose]()
  }

  #begin(call: ApiCall, life: number, seen: ReadonlyMap<string, string>): OperatorCall | undefined {
    const { verb } = call
    if (this.#calls.length >= MOST_CALLS) {
      void this.kill()
      return undefined
    }
    const writes = isWork(call)
    const atMs = this.clock.now() - this.#startMs
    const noted: OperatorCall = { seq: this.#calls.length, life, step: this.step, atMs, verb, target: callTarget(call), writes }
    if (writes) noted.seen = new Map(seen)
    this.#calls.push(noted)
    if (this.#calls.length === this.#awaitedCalls?.count) this.#awaitedCalls.reached()
    return noted
  }

  async #aroundWrite(call: OperatorCall, when: 'before' | 'after'): Promise<void> {
    if (when === 'after' && this.#refused.add(call, this.#tracker?.changes.length ?? 0)) this.#lastRefusalMs = this.clock.now()
    await this.aroundWrite?.(call, when)
  }

  #died(how: string, run: OperatorRun, signal: AbortSignal): void {
    if (signal.aborted) return
    if (LEASE_LOST.test(how)) this.#unfit = new SearchWorldError('overloaded', `${OVERLOADED}: ${how}`)
    if (run.wasDisturbed?.(how) === true) this.#unfit = new SearchWorldError('disturbed', `${DISTURBED}: ${how}`)
    this.#deaths.push(how)
    this.mark(how)
    if (this.#deaths.length > MOST_RESTARTS) return
    this.clock.after(RESTART_MS, () => {
      if (!signal.aborted) this.start()
    })
  }

  /** A crash that comes again and again is noted once. */
  #survived(how: string): void {
    if (this.#deaths.includes(how)) return
    this.#deaths.push(how)
    this.mark(how)
  }
}

/** It waits for busy work however long that takes: a run that was not waited for would not be reproducible. */
export const searchClock = () => new VirtualClock(undefined, { patienceMs: 600_000 })
