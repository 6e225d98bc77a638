import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { EventRecorder } from '../../sdk/controller/event-recorder.ts'
import type { Catalogue } from './catalogue.ts'
import type { InformerSet } from './informer-set.ts'

/** What every controller works with. */
export interface ControllerDeps {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Copies of collections, shared by all controllers of the process. */
  readonly informers: InformerSet
  readonly catalogue: Catalogue
  /** The cluster's CA, PEM. */
  readonly ca: string
  /** The cluster's CA with its key, PEM; without it no certificate is signed. */
  readonly authority: { readonly certificate: string; readonly key: string } | undefined
  /** The recorder of a component: each controller speaks in its own name. */
  readonly recorder: (component: string) => EventRecorder
}

/** A loop that brings the cluster towards what its objects say. */
export interface Controller {
  readonly name: string
  /** Works until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
}
