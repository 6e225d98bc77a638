import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { messageOf } from '../base/message-of.ts'
import type { Random } from '../base/random.ts'
import { inTurns, type Steps } from '../base/steps.ts'
import { giveTurn } from '../base/turns.ts'
import { isStatus } from '../machinery/status-error.ts'
import { type EventRecorder, referenceTo } from '../sdk/controller/event-recorder.ts'
import type { Attempts } from './attempts.ts'
import type { PodInfo } from './cache/pod-info.ts'
import type { ClusterState } from './cluster-state.ts'
import { type Bound, bindingCycle } from './framework/binding-cycle.ts'
import { consult, type ExternalResults, wasOvertaken } from './framework/consult.ts'
import { decide } from './framework/decide.ts'
import type { DecideOptions } from './framework/decide-options.ts'
import type { Decision, Placed, Unschedulable } from './framework/decision.ts'
import { turnedDown } from './framework/failure.ts'
import { Lane } from './framework/lane.ts'
import { NodeSample } from './framework/node-sample.ts'
import type { PreBindDeps } from './framework/plugin.ts'
import type { WaitingPods } from './framework/waiting-pods.ts'
import type { Nominations } from './nominations.ts'
import { schedulerNameOf } from './pod-facts.ts'
import type { PodWriter } from './pod-writer.ts'
import type { QueuedPod, SchedulingQueue } from './queue/scheduling-queue.ts'
import type { AttemptResult, SchedulerMetrics } from './scheduler-metrics.ts'
import type { ServedBy } from './served-profiles.ts'

export interface CycleDeps {
  readonly queue: SchedulingQueue
  readonly state: ClusterState
  readonly nominations: Nominations
  readonly attempts: Attempts
  readonly metrics: SchedulerMetrics
  readonly waitingPods: WaitingPods
  readonly writer: PodWriter
  readonly preBind: Omit<PreBindDeps, 'record'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Runs work concurrently with the next attempts. */
  readonly launch: (work: Promise<void>) => void
}

interface AttemptUnderWay extends ServedBy {
  readonly queued: QueuedPod
  readonly info: PodInfo
  readonly startedMs: number
}

/** Scores by plugin are kept only for small clusters: in larger ones verdicts are sufficient and cost less. */
const KEEP_SCORES_UP_TO_NODES = 100
/** How many pods wait for external plugins at once (Kubernetes handles one pod after the other). */
const MAX_CONSULTATIONS = 16

/**
 * One attempt to schedule a pod: prepare → filter → external plugins → score → assume; reserve → permit → pre-bind → bind → post-bind. A
 * pod that needs no external plugin and no preparation is decided and assumed before `attempt` returns. Pods that need external plugins are
 * attempted concurrently.
 */
export class SchedulingCycle {
  readonly #deps: CycleDeps
  readonly #options: DecideOptions
  readonly #consultations = new Lane(MAX_CONSULTATIONS)
  /** One after the other, as all pods in Kubernetes: a pod sees what those before it have taken. */
  readonly #preparations = new Lane(1)

  constructor(deps: CycleDeps) {
    this.#deps = deps
    const { nominations, state, random, clock, metrics } = deps
    const { table } = state
    this.#options = {
      random,
      sample: new NodeSample(),
      hasNominations: () => nominations.any,
      nominatedOn: (row, pod) => nominations.ahead(table.names[row] ?? '', pod),
      get keepScores() {
        return table.count <= KEEP_SCORES_UP_TO_NODES
      },
      times: {
        now: () => clock.monotonic(),
        chose: (tookMs) => metrics.chosen(tookMs / 1000),
        ran: (point, { schedulerName }, status, tookMs) => metrics.ran(point, schedulerName, status, tookMs / 1000),
      },
    }
  }

  attempt(queued: QueuedPod, { profile, recorder }: ServedBy): void {
    const one: AttemptUnderWay = { queued, info: queued.info, profile, recorder, startedMs: this.#deps.clock.monotonic() }
    try {
      const preparation = profile.preparation(one.info)
      if (profile.externalFor(one.info).length > 0) this.#deps.launch(this.#consultations.run(() => this.#consult(one)))
      else if (preparation !== undefined) this.#deps.launch(this.#preparations.run(() => this.#prepareAndDecide(one, preparation)))
      else this.#decide(one, undefined)
    } catch (error) {
      this.#deps.launch(this.#broke(one, error))
    }
  }

  async #consult(one: AttemptUnderWay): Promise<void> {
    try {
      // An attempt is overtaken only when another pod was scheduled: so all of them make progress.
      for (let done = false; !done && this.#isWanted(one); ) {
        await this.#prepare(one)
        const answers = await consult(one.profile, one.info, this.#options)
        // What was prepared may hold no longer.
        await this.#prepare(one)
        done = !this.#isWanted(one) || this.#decide(one, answers)
      }
    } catch (error) {
      await this.#broke(one, error)
    }
  }

  async #prepare({ profile, info }: AttemptUnderWay): Promise<void> {
    const preparation = profile.preparation(info)
    if (preparation !== undefined) await this.#preparations.run(() => inTurns(preparation))
  }

  /** Decides in the turn in which the preparation ends. */
  async #prepareAndDecide(one: AttemptUnderWay, preparation: Steps<void>): Promise<void> {
    try {
      for (const pending of preparation) await (pending ?? giveTurn())
      if (this.#isWanted(one)) this.#decide(one, undefined)
    } catch (error) {
      await this.#broke(one, error)
    }
  }

  /** During a call of an external plugin the pod may have been deleted, or bound by another scheduler. */
  #isWanted({ queued, info }: AttemptUnderWay): boolean {
    const { queue, state } = this.#deps
    if (queue.get(info.key) !== queued) return false
    if (state.isPlaced(info)) queue.remove(info.key)
    return !state.isPlaced(info)
  }

  /** Decides and assumes the pod in one turn of the event loop. False when the chosen node changed since external plugins saw it. */
  #decide(one: AttemptUnderWay, answers: ExternalResults | undefined): boolean {
    const decision = decide(one.profile, one.info, this.#options, answers)
    if (decision instanceof Promise) this.#deps.launch(this.#decideLate(one, decision))
    else if (answers !== undefined && decision.kind === 'placed' && wasOvertaken(answers, decision.row, this.#deps.state.context))
      return false
    else this.#carryOut(one, decision)
    return true
  }

  async #decideLate(one: AttemptUnderWay, late: Promise<Decision>): Promise<void> {
    try {
      const decision = await late
      if (this.#isWanted(one)) this.#carryOut(one, decision)
    } catch (error) {
      await this.#broke(one, error)
    }
  }

  #carryOut(one: AttemptUnderWay, decision: Decision): void {
    const { queued, info } = one
    const { state, nominations, queue, launch, metrics } = this.#deps
    this.#keep(one, decision)
    if (decision.kind === 'placed') {
      state.assume(info, decision.node)
      nominations.placed(info.key, decision.node)
      launch(this.#bind(one, decision))
    } else {
      this.#count(one, 'unschedulable')
      if (preempts(one, decision)) metrics.preempted(decision.nominated?.victims.length)
      queue.failed(queued, { plugins: decision.plugins, error: false })
      launch(this.#refuse(one, decision))
    }
  }

  #count({ info, queued, startedMs }: AttemptUnderWay, result: AttemptResult): void {
    const { metrics, clock } = this.#deps
    const now = clock.monotonic()
    metrics.attempted({
      profile: schedulerNameOf(info.pod),
      result,
      seconds: (now - startedMs) / 1000,
      number: queued.attempts,
      sinceTriable: (now - (queued.triableSince ?? startedMs)) / 1000,
      flushed: queued.flushed,
    })
  }

  #keep({ info, queued }: AttemptUnderWay, decision: Decision): void {
    const { attempts, clock } = this.#deps
    const { key, uid, pod } = info
    attempts.keep({ pod: key, uid, schedulerName: schedulerNameOf(pod), at: clock.now(), number: queued.attempts, decision })
  }

  async #bind(one: AttemptUnderWay, placed: Placed): Promise<void> {
    const { info, profile, recorder } = one
    const { state, waitingPods, preBind, writer, queue, nominations } = this.#deps
    const { node } = placed
    const bound = await bindingCycle(info, node, profile.plugins, profile.externalFor(info), {
      context: state.context,
      waitingPods,
      activate: (keys) => {
        for (const key of keys) queue.activate(key)
      },
      preBind: {
        ...preBind,
        record: (event) => recorder.record({ regarding: referenceTo(info.pod), type: 'Normal', action: 'Scheduling', ...event }),
      },
      bind: preBind,
      times: this.#options.times,
      // `nominatedNodeName` is for other components: a failure to write it must not interrupt what a plugin has begun.
      expects: (where) =>
        writer
          .nominate(info, where)
          .catch((error) => this.#deps.log.warn(`the nominated node of pod ${info.key} could not be written`, { error })),
    })
    if (bound.kind !== 'bound') {
      nominations.delete(info.key)
      if (state.forget(info)) await this.#notBound(one, bound, placed)
      // The pod went before what plugins had reserved for it was given back: that is free only now.
      else queue.event({ kind: 'assigned-pod-deleted', pod: info.pod })
      return
    }
    this.#count(one, 'scheduled')
    queue.remove(info.key)
    recorder.record({
      regarding: referenceTo(info.pod),
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      message: `Successfully assigned ${info.key} to ${node}`,
    })
  }

  async #notBound(one: AttemptUnderWay, bound: Exclude<Bound, { kind: 'bound' }>, { explain }: Placed): Promise<void> {
    const { queue, log } = this.#deps
    if (bound.kind === 'turned-down') {
      const refused = turnedDown(bound.verdict, [...one.profile.plugins.all.values()], explain)
      this.#keep(one, refused)
      this.#count(one, 'unschedulable')
      queue.failed(one.queued, { plugins: refused.plugins, error: false })
      await this.#refuse(one, refused)
      return
    }
    log.warn(`cannot bind pod ${one.info.key}, trying again`, { error: bound.error })
    if (isStatus(bound.error, 'NotFound')) {
      queue.remove(one.info.key)
      return
    }
    await this.#failed(one, bound.message)
  }

  async #broke(one: AttemptUnderWay, error: unknown): Promise<void> {
    this.#deps.log.error(`the attempt to place pod ${one.info.key} failed`, { error })
    await this.#failed(one, messageOf(error))
  }

  /** Something went wrong: nothing is known about the pod, and it is tried again when its time has come. */
  async #failed(one: AttemptUnderWay, message: string): Promise<void> {
    const { queued, info, recorder } = one
    const { queue, writer } = this.#deps
    this.#count(one, 'error')
    if (queue.get(info.key) !== queued) return
    queue.failed(queued, { plugins: new Set(), error: true })
    report(info, message, recorder)
    await writer.refuse(info, { reason: 'SchedulerError', message, nominated: '' })
  }

  async #refuse({ info, recorder }: AttemptUnderWay, decision: Unschedulable): Promise<void> {
    const { nominations, writer } = this.#deps
    report(info, decision.message, recorder)
    const { nominated } = decision
    if (nominated !== undefined) nominations.set(info, nominated.node)
    else if (decision.clearsNomination) nominations.delete(info.key)
    const promise = nominated?.node ?? (decision.clearsNomination ? '' : undefined)
    const written = writer.refuse(info, { reason: 'Unschedulable', message: decision.message, nominated: promise })
    if (nominated === undefined) return written
    await written
    await this.#makeRoom(info, nominated, recorder)
  }

  /** Sends the victims away, and takes back what less important pods were promised there. */
  async #makeRoom(info: PodInfo, { node, victims }: NonNullable<Unschedulable['nominated']>, recorder: EventRecorder): Promise<void> {
    const { nominations, writer, waitingPods } = this.#deps
    const behind = nominations.behind(node, info)
    for (const other of behind) nominations.delete(other.key)
    const evict = async (victim: PodInfo) => {
      // One that only waits for permission has taken nothing but room in the table.
      if (waitingPods.get(victim.uid) !== undefined) waitingPods.reject(victim.uid, '', 'preempted')
      else await writer.evict(victim, schedulerNameOf(info.pod))
      recorder.record({
        regarding: referenceTo(victim.pod),
        related: referenceTo(info.pod),
        type: 'Normal',
        reason: 'Preempted',
        action: 'Preempting',
        message: `Preempted by pod ${info.uid} on node ${node}`,
      })
    }
    await Promise.all([...victims.map(evict), ...behind.map((other) => writer.clearNomination(other))])
  }
}

/** Whether victims were looked for: there were nodes, and the profile has the plugin. */
const preempts = ({ profile }: AttemptUnderWay, { diagnosis }: Unschedulable) =>
  diagnosis.nodes > 0 && profile.plugins.postFilter.some(({ name }) => name === 'DefaultPreemption')

function report(info: PodInfo, message: string, recorder: EventRecorder): void {
  recorder.record({ regarding: referenceTo(info.pod), type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', message })
}
