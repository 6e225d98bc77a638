import { NAMESPACES, PODS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { isTerminating } from './plan.ts'
import { reconcileNamespace } from './reconcile.ts'

/** Empties namespaces that are being deleted, pods first, and finalizes them when nothing is left. */
export const createController = defineController({
  name: 'namespace',
  for: NAMESPACES,
  workers: 4,
  deps: ({ client, clientOf, clock, catalogue, informers }) => ({
    client,
    contentClient: clientOf('namespace-controller'),
    clock,
    catalogue,
    pods: informers.of(PODS),
    attempts: new Map<string, number>(),
  }),
  when: isTerminating,
  watch({ attempts, pods }, keys, namespaces) {
    namespaces.addHandler({ deleted: ({ metadata: { name = '' } }) => void attempts.delete(name) })
    pods.addHandler({
      deleted({ metadata: { namespace = '' } }) {
        const found = namespaces.get(namespace)
        if (found !== undefined && isTerminating(found)) keys.add(namespace)
      },
    })
  },
  reconcile: reconcileNamespace,
})
