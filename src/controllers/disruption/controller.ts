import { POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { selectsByLabels } from '../pods/ownership.ts'
import { reconcileBudget } from './reconcile.ts'

/** Keeps the number of evictions that each budget allows. */
export const createController = defineController({
  name: 'disruption',
  for: POD_DISRUPTION_BUDGETS,
  deps: ({ client, clock, informers, catalogue, events }) => ({
    client,
    clock,
    catalogue,
    informers,
    events: events('controllermanager'),
    pods: informers.of(PODS),
    replicaSets: informers.of(REPLICA_SETS),
  }),
  watch({ pods }, keys, budgets) {
    const changed = (pod: Pod) => {
      for (const budget of budgets.list(pod.metadata.namespace ?? '')) if (selectsByLabels(budget, pod)) keys.add(objectKey(budget))
    }
    pods.addHandler({
      added: changed,
      updated(pod, old) {
        changed(pod)
        if (pod.metadata.labels !== old.metadata.labels) changed(old)
      },
      deleted: changed,
    })
  },
  reconcile: reconcileBudget,
})
