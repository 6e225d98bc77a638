import { PODS, REPLICA_SETS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { ownerHandler, selectingOwners } from '../pods/ownership.ts'
import { reconcileReplicas, selectsPod } from './reconcile.ts'

const NAME = 'replicaset-controller'

/** Keeps the number of pods at the replicas of a ReplicaSet. */
export const createController = defineController({
  name: NAME,
  for: REPLICA_SETS,
  workers: 5,
  deps: ({ client, clock, informers, events }) => ({
    client,
    clock,
    events: events(NAME),
    pods: informers.of(PODS),
    owners: informers.of(REPLICA_SETS),
  }),
  watch({ pods }, keys, sets) {
    pods.addHandler(ownerHandler('ReplicaSet', keys, selectingOwners(sets, selectsPod)))
  },
  reconcile: reconcileReplicas,
})
