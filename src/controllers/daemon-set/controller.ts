import { semanticEqual } from '../../machinery/equal.ts'
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { controllerOf, podsOnNode } from '../frame/indexes.ts'
import { ownerHandler, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { FailedPodsBackOff } from './back-off.ts'
import { concernsNode } from './plan.ts'
import { reconcileDaemonSet } from './reconcile.ts'

const NAME = 'daemonset-controller'

/** Runs a pod on every node that the template fits. */
export const createController = defineController({
  name: NAME,
  for: DAEMON_SETS,
  workers: 2,
  deps: ({ client, clock, informers, events }) => ({
    client,
    clock,
    events: events(NAME),
    pods: informers.of(PODS),
    nodes: informers.of(NODES),
    revisions: informers.of(CONTROLLER_REVISIONS),
    backOff: new FailedPodsBackOff(clock),
  }),
  watch({ pods, nodes, revisions }, keys, sets) {
    pods.addHandler(ownerHandler('DaemonSet', keys, selectingOwners(sets, selectsByLabels)))
    revisions.addHandler(ownerHandler('DaemonSet', keys, selectingOwners(sets, selectsByLabels)))
    const nodeChanged = (node: Node) => {
      const running = new Set(podsOnNode(pods, node.metadata.name ?? '').map((pod) => controllerOf(pod)?.uid))
      for (const set of sets.list()) if (concernsNode(set, node, running.has(set.metadata.uid))) keys.add(objectKey(set))
    }
    nodes.addHandler({
      added: nodeChanged,
      updated(node, old) {
        if (!semanticEqual(node.metadata.labels, old.metadata.labels) || !semanticEqual(node.spec?.taints, old.spec?.taints))
          nodeChanged(node)
      },
    })
  },
  reconcile: reconcileDaemonSet,
})
