import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CONFIG_MAPS, NAMESPACES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'

const NAME = 'kube-root-ca.crt'
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** Puts the cluster's CA into every namespace, as the config map `kube-root-ca.crt` that service account volumes project. */
export function createRootCaController(deps: ControllerDeps, ca: string): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const namespaces = informers.of(NAMESPACES)
  const configMaps = informers.of(CONFIG_MAPS)
  namespaces.addHandler({ added: (ns) => queue.add(ns.metadata.name ?? ''), updated: (ns) => queue.add(ns.metadata.name ?? '') })
  const changed = (map: KubeObject) => {
    if (map.metadata.name === NAME) queue.add(map.metadata.namespace ?? '')
  }
  configMaps.addHandler({ updated: changed, deleted: changed })

  async function reconcile(namespace: string): Promise<void> {
    const ns = namespaces.get(namespace)
    if (ns === undefined || ns.status?.phase === 'Terminating') return
    const standing = configMaps.get(`${namespace}/${NAME}`)
    if (standing !== undefined && semanticEqual(standing.data, { 'ca.crt': ca })) return
    const wanted = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: NAME, namespace, annotations: { 'kubernetes.io/description': DESCRIPTION } },
      data: { 'ca.crt': ca },
    }
    const write =
      standing === undefined
        ? client.create({ ...CONFIG_MAPS, namespace }, wanted)
        : client.update({ ...CONFIG_MAPS, namespace, name: NAME }, { ...standing, data: wanted.data })
    await write.catch((error) => {
      if (!isStatus(error, 'AlreadyExists', 'NotFound', 'Forbidden')) throw error
    })
  }

  return queueController({ name: 'root-ca', queue, workers: 8, copies: [namespaces, configMaps], reconcile, log })
}
