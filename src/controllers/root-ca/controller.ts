import { ignoring } from '../../machinery/ignoring.ts'
import { CONFIG_MAPS, NAMESPACES } from '../../resources/refs.ts'
import type { ConfigMap } from '../../resources/types/core.ts'
import { defineController } from '../frame/define-controller.ts'
import { createObject, updateObject } from '../frame/objects.ts'
import { planRootCa, ROOT_CA } from './plan.ts'

/** Keeps the config map `kube-root-ca.crt`, which service account volumes project, in every namespace. */
export const createController = defineController({
  name: 'root-ca',
  for: NAMESPACES,
  workers: 8,
  deps: ({ client, informers, ca }) => ({ client, ca, configMaps: informers.of(CONFIG_MAPS) }),
  watch({ configMaps }, keys) {
    const changed = ({ metadata: { name, namespace = '' } }: ConfigMap) => {
      if (name === ROOT_CA) keys.add(namespace)
    }
    configMaps.addHandler({ updated: changed, deleted: changed })
  },
  async reconcile({ client, configMaps, ca }, namespace) {
    const plan = planRootCa(namespace, configMaps.get(`${namespace.metadata.name}/${ROOT_CA}`), ca)
    if (plan.kind === 'keep') return
    const write = plan.kind === 'create' ? createObject : updateObject
    await write(client, CONFIG_MAPS, plan.configMap).catch(ignoring('AlreadyExists', 'NotFound', 'Forbidden'))
  },
})
