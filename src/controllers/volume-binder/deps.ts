import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { ObjectEvents } from '../frame/object-events.ts'

/** What plans of the binder are carried out with. */
export interface BinderClient {
  readonly client: Client
  readonly events: ObjectEvents
}

/** What claims and volumes are reconciled with. */
export interface BinderDeps extends BinderClient {
  readonly claims: Informer<PersistentVolumeClaim>
  readonly volumes: Informer<PersistentVolume>
  readonly classes: Informer<StorageClass>
  readonly pods: Informer<Pod>
  /** Has a claim or a volume reconciled. */
  readonly enqueue: (object: PersistentVolumeClaim | PersistentVolume) => void
}
