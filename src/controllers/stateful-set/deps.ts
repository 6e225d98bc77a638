import type { Clock } from '../../base/clock.ts'
import type { ControllerRevision } from '../../resources/types/apps.ts'
import type { PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { ObjectEvents } from '../frame/object-events.ts'

/** What a StatefulSet is reconciled with. */
export interface StatefulSetDeps {
  readonly client: Client
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly revisions: Informer<ControllerRevision>
  readonly claims: Informer<PersistentVolumeClaim>
}
