import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ControllerActivities } from '../../sdk/controller/controller-activity.ts'
import type { Catalogue } from './catalogue.ts'
import type { ControllerMetrics } from './controller-metrics.ts'
import type { Informers } from './informers.ts'
import type { ObjectEvents } from './object-events.ts'

/** What every controller works with. */
export interface ControllerDeps {
  readonly client: Client
  /** A client that acts as a service account of `kube-system`: for what deletes objects of all kinds. */
  readonly clientOf: (serviceAccount: string) => Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly informers: Informers
  readonly catalogue: Catalogue
  /** The cluster's CA, PEM. */
  readonly ca: string
  /** The cluster's CA with its key, PEM; without it no certificate is signed. */
  readonly authority: { readonly certificate: string; readonly key: string } | undefined
  /** Where controllers are listed while they run. Undefined: nowhere. */
  readonly activities?: ControllerActivities | undefined
  /** Where controllers count what they do. */
  readonly metrics: ControllerMetrics
  /** The events of a component: each controller has its own name in them. */
  readonly events: (component: string) => ObjectEvents
}

export type CreateController = (deps: ControllerDeps) => Controller

/** A loop that brings the cluster towards the state that its objects describe. */
export interface Controller {
  readonly name: string
  /** Works until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
}
