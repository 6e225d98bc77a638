import { CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { ownerHandler, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { reconcileStatefulSet } from './reconcile.ts'

const NAME = 'statefulset-controller'

/** Runs pods that each have a name and storage of their own. */
export const createController = defineController({
  name: NAME,
  for: STATEFUL_SETS,
  workers: 5,
  deps: ({ client, clock, informers, events }) => ({
    client,
    clock,
    events: events(NAME),
    pods: informers.of(PODS),
    revisions: informers.of(CONTROLLER_REVISIONS),
    claims: informers.of(PERSISTENT_VOLUME_CLAIMS),
  }),
  watch({ pods }, keys, sets) {
    pods.addHandler(ownerHandler('StatefulSet', keys, selectingOwners(sets, selectsByLabels)))
  },
  reconcile: reconcileStatefulSet,
})
