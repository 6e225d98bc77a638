import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { PlannedStep } from '../../resources/bowsprit/controller-report.ts'
import type { Client } from '../client/client.ts'
import type { ControllerActivities } from '../controller/controller-activity.ts'
import type { EventRecorder } from '../controller/event-recorder.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Controller } from './controller.ts'
import type { KindCache } from './kind-cache.ts'
import type { ControllerMetrics } from './operator-metrics.ts'
import type { AppliedChild } from './plan-children.ts'

/** The copies of all kinds of a controller. */
export interface Caches {
  /** @throws {Error} when the controller has not named the kind */
  of<T extends KubeObject>(kind: Kind<T>): KindCache<T>
}

/** What a running controller works with. */
export interface Workplace {
  readonly controller: Controller
  readonly caches: Caches
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly recorder: EventRecorder
  readonly metrics: ControllerMetrics
  /** Where the last reconciliations are kept; undefined: nowhere. */
  readonly activities: ControllerActivities | undefined
}

/** The workplace of one reconciliation. */
export interface ReconcilePlace extends Workplace {
  /** Notes a step of what is to be done, before it is. */
  planned(step: PlannedStep): void
}

/** What this process remembers of an object, so as not to send again what changes nothing. */
export interface ObjectMemory {
  readonly uid: string
  readonly children: Map<string, AppliedChild>
  status?: { readonly sent: unknown; readonly answer: unknown }
}
