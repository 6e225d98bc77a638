import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { controllerOf } from '../frame/indexes.ts'
import { ownerHandler, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { reconcileDeployment } from './reconcile.ts'

const NAME = 'deployment-controller'

/** Rolls out templates: creates a ReplicaSet for each, and moves the replicas from the old ones to the newest. */
export const createController = defineController({
  name: NAME,
  for: DEPLOYMENTS,
  workers: 5,
  deps: ({ client, clock, informers, events }) => ({
    client,
    clock,
    events: events(NAME),
    deployments: informers.of(DEPLOYMENTS),
    replicaSets: informers.of(REPLICA_SETS),
    pods: informers.of(PODS),
  }),
  watch({ deployments, replicaSets, pods }, keys) {
    replicaSets.addHandler(ownerHandler('Deployment', keys, selectingOwners(deployments, selectsByLabels)))
    pods.addHandler({
      // Only the strategy `Recreate` waits for pods to be gone.
      deleted(pod) {
        const set = controllerOf(pod)
        if (set?.kind !== 'ReplicaSet') return
        const owner = controllerOf(replicaSets.get(`${pod.metadata.namespace}/${set.name}`) ?? pod)
        if (owner?.kind === 'Deployment') keys.add(`${pod.metadata.namespace}/${owner.name}`)
      },
    })
  },
  reconcile: reconcileDeployment,
})
