import { ignoring } from '../../machinery/ignoring.ts'
import { CLUSTER_TRUST_BUNDLES, NAMESPACES } from '../../resources/refs.ts'
import type { ClusterTrustBundle } from '../../resources/types/certificates-v1beta1.ts'
import { defineController } from '../frame/define-controller.ts'
import { createObject, deleteObject, updateObject } from '../frame/objects.ts'
import { planTrustBundle, SIGNER } from './plan.ts'

const KUBE_SYSTEM = 'kube-system'

/**
 * Publishes the API server's certificate authority as a ClusterTrustBundle: one for the cluster, reconciled with the namespace kube-system.
 */
export const createController = defineController({
  name: 'kube-apiserver-serving-clustertrustbundle-publisher',
  for: NAMESPACES,
  when: ({ metadata }) => metadata.name === KUBE_SYSTEM,
  deps: ({ client, informers, ca }) => ({ client, ca, bundles: informers.of(CLUSTER_TRUST_BUNDLES) }),
  watch({ bundles }, keys) {
    const changed = ({ spec }: ClusterTrustBundle) => {
      if (spec.signerName === SIGNER) keys.add(KUBE_SYSTEM)
    }
    bundles.addHandler({ added: changed, updated: changed, deleted: changed })
  },
  async reconcile({ client, bundles, ca }) {
    const { create, update, remove } = planTrustBundle(bundles.list(), ca)
    if (create !== undefined) await createObject(client, CLUSTER_TRUST_BUNDLES, create).catch(ignoring('AlreadyExists'))
    if (update !== undefined) await updateObject(client, CLUSTER_TRUST_BUNDLES, update)
    for (const bundle of remove) await deleteObject(client, CLUSTER_TRUST_BUNDLES, bundle).catch(ignoring('NotFound'))
  },
})
