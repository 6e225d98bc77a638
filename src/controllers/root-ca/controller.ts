import { ignoring } from '../../machinery/ignoring.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CONFIG_MAPS, NAMESPACES } from '../../resources/refs.ts'
import type { ConfigMap } from '../../resources/types/core.ts'
import { FROM_ONE_MS } from '../frame/controller-metrics.ts'
import { defineController } from '../frame/define-controller.ts'
import { createObject, updateObject } from '../frame/objects.ts'
import { planRootCa, ROOT_CA } from './plan.ts'

/** Keeps the config map `kube-root-ca.crt`, which service account volumes project, in every namespace. */
export const createController = defineController({
  name: 'root-ca',
  for: NAMESPACES,
  workers: 8,
  deps: ({ client, clock, informers, ca, metrics }) => ({
    client,
    clock,
    ca,
    configMaps: informers.of(CONFIG_MAPS),
    syncs: metrics.counter({ name: 'root_ca_cert_publisher_sync_total', help: 'Rounds of namespaces.', labels: ['code'] }),
    seconds: metrics.histogram({
      name: 'root_ca_cert_publisher_sync_duration_seconds',
      help: 'How long rounds of namespaces took.',
      labels: ['code'],
      bounds: FROM_ONE_MS,
    }),
  }),
  watch({ configMaps }, keys) {
    const changed = ({ metadata: { name, namespace = '' } }: ConfigMap) => {
      if (name === ROOT_CA) keys.add(namespace)
    }
    configMaps.addHandler({ updated: changed, deleted: changed })
  },
  async reconcile({ client, clock, configMaps, ca, syncs, seconds }, namespace) {
    const begun = clock.monotonic()
    let code = '200'
    try {
      const plan = planRootCa(namespace, configMaps.get(`${namespace.metadata.name}/${ROOT_CA}`), ca)
      if (plan.kind === 'keep') return
      const write = plan.kind === 'create' ? createObject : updateObject
      await write(client, CONFIG_MAPS, plan.configMap).catch(ignoring('AlreadyExists', 'NotFound', 'Forbidden'))
    } catch (error) {
      code = isStatus(error) ? String(error.code) : '500'
      throw error
    } finally {
      syncs.add([code])
      seconds.observe((clock.monotonic() - begun) / 1000, [code])
    }
  },
})
