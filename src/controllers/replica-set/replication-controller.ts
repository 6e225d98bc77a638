import { PODS, REPLICATION_CONTROLLERS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { ownerHandler, selectingOwners } from '../pods/ownership.ts'
import { reconcileReplicas, selectsPod } from './reconcile.ts'

const NAME = 'replication-controller'

/** Keeps the number of pods at the replicas of a ReplicationController: a ReplicaSet whose selector is a plain map. */
export const createController = defineController({
  name: NAME,
  for: REPLICATION_CONTROLLERS,
  workers: 5,
  deps: ({ client, clock, informers, events }) => ({
    client,
    clock,
    events: events(NAME),
    pods: informers.of(PODS),
    owners: informers.of(REPLICATION_CONTROLLERS),
  }),
  watch({ pods }, keys, controllers) {
    pods.addHandler(ownerHandler('ReplicationController', keys, selectingOwners(controllers, selectsPod)))
  },
  reconcile: reconcileReplicas,
})
