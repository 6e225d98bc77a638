import type { Clock } from '../../base/clock.ts'
import type { Deployment, ReplicaSet } from '../../resources/types/apps.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { ObjectEvents } from '../frame/object-events.ts'

/** What a Deployment is reconciled with. */
export interface DeploymentDeps {
  readonly client: Client
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly deployments: Informer<Deployment>
  readonly replicaSets: Informer<ReplicaSet>
  readonly pods: Informer<Pod>
}
