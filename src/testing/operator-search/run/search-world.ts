import { systemClock, VirtualClock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { type Random, seededRandom } from '../../../base/random.ts'
import { giveTurn } from '../../../base/turns.ts'
import type { Cluster, ClusterCheckpoint } from '../../../cluster/cluster.ts'
import type { Part } from '../../../cluster/cluster-options.ts'
import type { ApiCall } from '../../../machinery/api-call.ts'
import { ignoring } from '../../../machinery/ignoring.ts'
import { isObject, type KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Client, Target } from '../../../sdk/client/client.ts'
import type { DiscoveredResource } from '../../../sdk/client/discovery.ts'
import { TOUCHED } from '../../operator-trial/state.ts'
import { keyOf, targetOf } from '../../operator-trial/trial-base.ts'
import type { OperatorCall, RestState, SearchHistory } from '../history.ts'
import { desiredAfter, type WorkStep } from '../work-step.ts'
import { applyPatch } from './apply-patch.ts'
import type { EventHold } from './event-hold.ts'
import { ObjectTracker } from './object-tracker.ts'
import type { OperatorHost, OperatorRun, RunDeps } from './operator-host.ts'
import type { PastView, SeamRules } from './operator-seam.ts'
import { isNews, Refusals } from './unrest.ts'

/** Why nothing can be said of the operator of a world. */
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
/** How long a user waits for webhooks, and how often. */
const START_MS = 1000
const MOST_TRIES = 10
const NOT_SERVED = /failed calling webhook .*(?:refused|no endpoints available|EOF|reset)/s
/** What the operator's own timers do within this time is waited for. */
const LONGEST_TIMER_MS = 120_000
/** How often its real timers are waited for, and how often it is nudged at a rest. */
const MOST_LINGERS = 3
const MOST_NUDGES = 5
/** The time of a lease is real: an operator that gets no processor loses it. */
const LEASE_LOST = /leader election lost|leaderelection lost|failed to renew lease|leadership was lost/i
const OVERLOADED = 'this machine is too busy to judge the operator, which lost its lease'
const DISTURBED = 'another run of the operator had its port'
/** Requests that are not the work of an operator: its lease, its events, its reviews. */
const CHATTER = /^(leases|events|\w*reviews)$/
/** Locks of client-go before 0.26. */
const isElection = ({ resource }: Target, body: object | undefined) =>
  (resource === 'configmaps' || resource === 'endpoints') && JSON.stringify(body ?? {}).includes('control-plane.alpha.kubernetes.io/leader')
const STREAMS = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

function isWork({ verb, target, query, body }: ApiCall): boolean {
  if (!WRITES.has(verb) || query.dryRun !== undefined) return false
  return !CHATTER.test(target.resource) && !STREAMS.has(target.subresource ?? '') && !isElection(target, body)
}

/** What a call is about. A request that creates an object has its name in its body. */
function callTarget({ verb, target, body }: ApiCall): Target {
  const name = verb === 'create' && isObject(body) && isObject(body.metadata) ? body.metadata.name : undefined
  return target.name === undefined && typeof name === 'string' ? { ...target, name } : target
}

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
  /** Why nothing can be said of the operator. */
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
      ...apply.map((object) => () => this.#apply(object, before?.get(keyOf(object)))),
      ...remove.map((object) => () => this.#remove(object)),
    ]
    for (const action of actions.slice(this.actions)) {
      this.actions++
      await this.#untilServed(action).catch((error: unknown) => {
        this.#refusals.set(this.step, messageOf(error))
        this.mark(`the API server refuses it: ${messageOf(error)}`)
      })
    }
  }

  /** A user whose change meets a webhook of an operator that has just been started tries again. */
  async #untilServed(action: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        return await action()
      } catch (error) {
        if (tries === MOST_TRIES || !NOT_SERVED.test(messageOf(error))) throw error
        await this.pass(START_MS)
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
        await this.#nudge()
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

  /**
   * Makes the operator look at the samples that are there: an event says that somebody else owns the spec, too. Nothing is changed that an
   * operator may copy, as some do with annotations.
   */
  async #nudge(): Promise<void> {
    const fieldManager = `trial-nudge-${this.clock.now()}`
    for (const sample of this.#setup.samples) {
      const target = this.target(sample)
      const isSeen = sample.spec !== undefined && (await this.#asOther(() => this.#ownSpec(sample, fieldManager)))
      if (!isSeen) await this.touch(target, fieldManager)
    }
  }

  async #ownSpec(sample: KubeObject, fieldManager: string): Promise<void> {
    const { apiVersion, kind, metadata } = sample
    const target = this.target(sample)
    // An apply would create it.
    await this.client.get(target)
    const unchanged = { apiVersion, kind, metadata: { name: metadata.name ?? '' }, spec: {} }
    await this.client.patch(target, 'apply', unchanged, { fieldManager, force: true })
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

  async #apply(object: KubeObject, before: KubeObject | undefined): Promise<void> {
    const target = this.target(object)
    const patch = before && applyPatch(before, object)
    if (patch === undefined) await this.client.patch(target, 'apply', object, { fieldManager: 'user', force: true })
    else await this.client.patch(target, 'merge', patch, { fieldManager: 'user' })
  }

  async #remove(object: KubeObject): Promise<void> {
    await this.client.delete(this.target(object)).catch(ignoring('NotFound'))
  }

  /** Whether the API server would accept an object; one that it cannot judge now (a webhook does not answer) counts as accepted. */
  accepts(object: KubeObject): Promise<boolean> {
    const patched = this.client.patch(this.target(object), 'apply', object, { fieldManager: 'user', force: true, dryRun: true })
    return patched.then(
      () => true,
      (error: unknown) => !isStatus(error, 'Invalid') && !isStatus(error, 'BadRequest'),
    )
  }

  /** Somebody else changes an object: sets or removes an annotation that means nothing. Resolves with whether there is such an object. */
  touch({ subresource: _, ...target }: Target, value: string | null): Promise<boolean> {
    return this.#asOther(() => this.client.patch(target, 'merge', { metadata: { annotations: { [TOUCHED]: value } } }))
  }

  /** Does something as another client. Resolves with whether the API server accepts it. */
  async #asOther(change: () => Promise<unknown>): Promise<boolean> {
    const release = this.clock.busy('a change by somebody else')
    try {
      await change()
      return true
    } catch (error) {
      if (!isStatus(error)) throw error
      return false
    } finally {
      // The operator goes on first: else time would pass before its write.
      void giveTurn().then(release)
    }
  }

  /** Where an object is. @throws {Error} when the cluster does not have its kind */
  target(object: Readonly<KubeObject>): Target {
    return targetOf(object, this.#setup.resources)
  }
}

/** It waits for busy work however long that takes: a run that was not waited for would not be reproducible. */
export const searchClock = () => new VirtualClock(undefined, { patienceMs: 600_000 })
