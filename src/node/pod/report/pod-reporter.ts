import { type Clock, timestamp } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { ResourceStatus } from '../../../resources/types/core.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { HeldAmounts } from '../../types/admit-handler.ts'
import { isStaticPod, type Pod } from '../../types/pod.ts'
import type { PodState } from '../pod-state.ts'
import { bareStatus, foundEndedStatus, podStatus } from './pod-status.ts'
import type { StatusTraffic } from './status-traffic.ts'
import { type MirrorSink, PASSING, StatusWriter, type WriteOutcome } from './status-writer.ts'

export interface ReporterDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  /** The node's addresses, one of each family; the first is its main one. */
  readonly hostIps: readonly string[]
  /** The device health of a container; empty without devices. */
  readonly resourceHealth: (pod: Pod, container: string) => readonly ResourceStatus[]
  /** What the machine holds the whole pod to, if it says so. */
  readonly heldAmounts?: (pod: Pod) => HeldAmounts | undefined
  /** Receives the status of a static pod. Other statuses go to the pod itself. */
  readonly mirror?: MirrorSink
  /** The status updates of this and other agents. */
  readonly traffic: StatusTraffic
}

/**
 * `rejected`: a pod that failed admission; `found-ended`: the end of a pod that ended before this agent started; `sandbox`: a pod whose
 * containers wait, with its sandbox only.
 */
export type ReportAs = 'rejected' | 'found-ended' | 'sandbox'

/** Retry delay of a status update that the API server refused. */
const REFUSED_RETRY_MS = 1000
/** Retry delay of a mirror pod that could not be created. */
const MIRROR_RETRY_MS = 10_000

/** Writes a pod's status to the API, and merges the API's version of the pod with the status fields that the agent owns. */
export class PodReporter {
  readonly #state: PodState
  readonly #deps: ReporterDeps
  readonly #writer: StatusWriter
  /** Cancels the pending update. */
  #takeBack: (() => void) | undefined
  /** The update that was pending and is being written. */
  #telling: Promise<void> | undefined
  /** The report that is being made. */
  #reporting: Promise<void> | undefined
  /** Whether the last update was refused. */
  #wasRefused = false

  constructor(state: PodState, deps: ReporterDeps) {
    this.#state = state
    this.#deps = deps
    const { client, log } = deps
    this.#writer = new StatusWriter(state.pod, { client, log, changedByOthers: () => state.again() })
  }

  /** Takes over a new version of the pod from the API (or its manifest). True if it has changes, or others wrote to its status. */
  observe(pod: Pod): boolean {
    if (isStaticPod(pod)) {
      this.#state.pod = { ...pod, status: this.#state.pod.status }
      return true
    }
    const foreign = this.#writer.observe(pod)
    this.take(pod)
    return foreign
  }

  /** The version of the pod's object that has the complete current state; undefined: there is none, or an update is pending. */
  get reportedVersion(): string | undefined {
    if (this.#takeBack !== undefined || this.#telling !== undefined) return undefined
    return this.#writer.versionWith(this.#state.pod.status as JsonObject)
  }

  /** Takes the API's status, but keeps the agent's own version of the fields that it owns. */
  take(pod: Pod): void {
    const state = this.#state
    const { phase, conditions = [], qosClass, startTime } = state.pod.status
    const mine = conditions.filter((c) => OWN_CONDITIONS.has(c.type))
    const others = (pod.status.conditions ?? []).filter((c) => !OWN_CONDITIONS.has(c.type))
    const kept = { ...(phase !== undefined && { phase }), ...(startTime !== undefined && { startTime }) }
    const reported = state.stopped || mine.length > 0
    const status = reported
      ? { ...pod.status, ...kept, ...(qosClass !== undefined && { qosClass }), conditions: [...mine, ...others] }
      : pod.status
    state.pod = { ...pod, status }
  }

  /** Writes the status that follows from the last look at the runtime, one after the other. Failures are retried. */
  async report(as?: ReportAs): Promise<void> {
    while (this.#reporting !== undefined) await this.#reporting
    this.#reporting = this.#report(as).finally(() => {
      this.#reporting = undefined
    })
    return this.#reporting
  }

  async #report(as: ReportAs | undefined): Promise<void> {
    const state = this.#state
    if (state.gone) return
    const { clock } = this.#deps
    const status = as === 'rejected' ? bareStatus(state.pod, state.startTimeMs) : this.#status(clock.now(), as)
    state.newSandbox = undefined
    this.leave()
    if (this.#mayWait(status, as)) this.#notifyLater(status)
    else {
      if (this.#telling !== undefined) await this.#telling
      const outcome = await this.#write(status, as === 'rejected' ? DROPPED : undefined)
      if (outcome === 'gone') state.gone = true
      if (outcome === 'refused') state.wakeAt(clock.now() + REFUSED_RETRY_MS)
      if (outcome === 'unmirrored') state.wakeAt(clock.now() + MIRROR_RETRY_MS)
    }
    const { conditions: _, ...rest } = status
    const others = (state.pod.status.conditions ?? []).filter((c) => !own(status).some((o) => o.type === c.type))
    state.pod = { ...state.pod, status: { ...state.pod.status, ...rest, conditions: [...own(status), ...others] } }
  }

  /** Cancels pending updates: there is a newer one, or the worker is left. */
  leave(): void {
    this.#takeBack?.()
    this.#takeBack = undefined
  }

  /** Whether this update only says that containers wait: the report of their start includes it. */
  #mayWait({ phase }: JsonObject, as: ReportAs | undefined): boolean {
    const { mirror, traffic } = this.#deps
    const { stopped, deleting, termination } = this.#state
    const begins = (as === undefined || as === 'sandbox') && phase === 'Pending' && !stopped && !deleting && termination === undefined
    return begins && mirror === undefined && traffic.crowded
  }

  #notifyLater(status: JsonObject): void {
    const state = this.#state
    this.#takeBack = this.#deps.traffic.later(() => {
      this.#takeBack = undefined
      if (state.gone) return
      this.#telling = this.#write(status).then((outcome) => {
        this.#telling = undefined
        if (outcome === 'gone') {
          state.gone = true
          state.again()
        } else if (outcome === 'refused') this.#deps.clock.after(REFUSED_RETRY_MS, () => state.again())
      })
    })
  }

  /** Never rejects. */
  async #write(status: JsonObject, dropped?: ReadonlySet<string>): Promise<WriteOutcome> {
    const { log, mirror, traffic } = this.#deps
    const { pod } = this.#state
    try {
      const outcome = await traffic.write(() => (mirror ?? this.#writer).write(pod, status, dropped))
      this.#wasRefused = false
      return outcome
    } catch (error) {
      // The pod goes on while its status cannot be written. Once it is refused when the pod was deleted a moment ago.
      if (this.#wasRefused) log.warn('the status of a pod could not be written, trying again', { pod: pod.metadata.name, error })
      this.#wasRefused = true
      return 'refused'
    }
  }

  #status(nowMs: number, as: ReportAs | undefined): JsonObject {
    const state = this.#state
    const { hostIps, resourceHealth, heldAmounts } = this.#deps
    const status = as === 'found-ended' ? foundEndedStatus : podStatus
    return status(
      {
        pod: state.reportedGeneration === undefined ? state.pod : withGeneration(state.pod, state.reportedGeneration),
        records: as === 'sandbox' ? (state.newSandbox?.recordsBefore ?? state.records) : state.records,
        hostIps,
        podIps: as === 'sandbox' ? (state.newSandbox?.podIpsBefore ?? []) : state.podIps,
        sandboxReady: state.sandboxReady,
        resourceHealth: (container) => resourceHealth(state.pod, container),
        startTimeMs: state.startTimeMs,
        stopped: state.stopped,
        ...(state.life.kind === 'stopped' && state.life.unfinished && { unfinished: state.life.unfinished }),
        amounts: state.resize.podAmounts(state.pod, heldAmounts?.(state.pod)),
        resize: state.resize.conditions(timestamp(nowMs)),
        ...(state.termination && { termination: state.termination }),
      },
      nowMs,
    )
  }
}

const withGeneration = (pod: Pod, generation: number): Pod => ({ ...pod, metadata: { ...pod.metadata, generation } })

const own = (status: { readonly conditions?: unknown }) => (status.conditions ?? []) as NonNullable<Pod['status']['conditions']>

const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
])

/** Conditions that a pod which failed admission loses. */
const DROPPED: ReadonlySet<string> = new Set([...OWN_CONDITIONS, ...PASSING, 'AllContainersRestarting'])
