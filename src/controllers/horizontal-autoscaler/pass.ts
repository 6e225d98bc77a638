import { type Clock, timestamp } from '../../base/clock.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { HORIZONTAL_POD_AUTOSCALERS } from '../../resources/refs.ts'
import type { HorizontalPodAutoscaler } from '../../resources/types/autoscaling.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { targetOf } from '../frame/objects.ts'
import type { ScaleAction } from './autoscaler-metrics.ts'
import { type HpaStatus, type PlannedCondition, withCondition } from './autoscaler-status.ts'

/** Why a pass over an autoscaler ends early: it is reported as an event and a condition, and tried again in the next period. */
export class PassEnded extends Error {
  override readonly name = 'PassEnded'
}

export interface Observed {
  readonly currentReplicas: number
  /** Default: as before. */
  readonly desiredReplicas?: number
  /** The target was scaled just now. Default: false. */
  readonly scaled?: boolean
}

/** One pass over one autoscaler: the status that it will have, and its events. */
export class Pass {
  readonly hpa: HorizontalPodAutoscaler
  metrics: HpaStatus['currentMetrics'] = null
  readonly #clock: Pick<Clock, 'now'>
  readonly #events: ObjectEvents
  #status: HpaStatus
  #scaled = false

  constructor(hpa: HorizontalPodAutoscaler, { clock, events }: { readonly clock: Pick<Clock, 'now'>; readonly events: ObjectEvents }) {
    this.hpa = hpa
    this.#clock = clock
    this.#events = events
    this.#status = { ...hpa.status }
  }

  /** What was done to the target. */
  get action(): ScaleAction {
    const [now, before] = [this.#status.desiredReplicas ?? 0, this.#status.currentReplicas ?? 0]
    return !this.#scaled || now === before ? 'none' : now > before ? 'scale_up' : 'scale_down'
  }

  /** Whether the target was scaled in this pass. */
  get scaled(): boolean {
    return this.#scaled
  }

  warn(reason: string, message: string): void {
    this.#events.warning(this.hpa, reason, message)
  }

  report(reason: string, message: string): void {
    this.#events.normal(this.hpa, reason, message)
  }

  set(condition: PlannedCondition): void {
    this.#status.conditions = withCondition(this.#status.conditions, condition, timestamp(this.#clock.now()))
  }

  /** Sets replicas and metrics. */
  observe({ currentReplicas, desiredReplicas = this.#status.desiredReplicas ?? 0, scaled = false }: Observed): void {
    const { lastScaleTime: before, conditions } = this.#status
    const lastScaleTime = scaled ? timestamp(this.#clock.now()) : before
    this.#scaled ||= scaled
    this.#status = {
      ...(lastScaleTime !== undefined && { lastScaleTime }),
      ...(currentReplicas !== 0 && { currentReplicas }),
      desiredReplicas,
      currentMetrics: this.metrics ?? null,
      ...(conditions && { conditions }),
    }
  }

  async write(client: Client): Promise<void> {
    if (semanticEqual(this.hpa.status ?? {}, this.#status)) return
    const target = { ...targetOf(HORIZONTAL_POD_AUTOSCALERS, this.hpa), subresource: 'status' }
    try {
      await client.update<KubeObject>(target, { ...this.hpa, status: this.#status })
    } catch (error) {
      if (isStatus(error, 'NotFound')) return
      if (isStatus(error)) this.warn('FailedUpdateStatus', error.message)
      throw error
    }
  }
}
