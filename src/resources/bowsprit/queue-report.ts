import type { KubeObject } from '../../machinery/object.ts'

/** Where a pod is in the scheduler's queue: `bowsprit.dev/v1 QueueReport`, under the pod's name. Never stored. */
export interface QueueReport extends KubeObject {
  readonly scheduler: string
  /**
   * `InFlight`: it is being scheduled; `Active`: it is next, by priority and age; `Backoff`: it waits until `until`; `Unschedulable`: it
   * waits for an event of `wokenBy`; `Gated`: a plugin keeps it out.
   */
  readonly queue: 'InFlight' | 'Active' | 'Backoff' | 'Unschedulable' | 'Gated'
  readonly priority: number
  readonly attempts: number
  /** When it entered the queue, or failed last: RFC 3339. */
  readonly since: string
  readonly until?: string
  /** The plugins that rejected it last. */
  readonly plugins?: readonly string[]
  /** Why it is kept out. */
  readonly message?: string
  /** The events that may let it in: `node-added`, `changed/persistentvolumes`, …; `any`. */
  readonly wokenBy?: readonly string[]
}
