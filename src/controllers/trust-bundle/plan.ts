import { createHash } from 'node:crypto'
import type { ClusterTrustBundle } from '../../resources/types/certificates-v1beta1.ts'

/** The signer of the API server's own certificates. */
export const SIGNER = 'kubernetes.io/kube-apiserver-serving'

export interface TrustBundlePlan {
  readonly create?: ClusterTrustBundle
  readonly update?: ClusterTrustBundle
  /** Bundles with other certificates. */
  readonly remove: readonly ClusterTrustBundle[]
}

/** The bundle by which pods verify the API server, named after its content. `ca`: PEM. Pure. */
export function planTrustBundle(all: readonly ClusterTrustBundle[], ca: string): TrustBundlePlan {
  const name = `${SIGNER.replaceAll('/', ':')}:${createHash('sha256').update(ca).digest('hex').slice(0, 24)}`
  const published = all.filter(({ spec }) => spec.signerName === SIGNER)
  const current = published.find(({ metadata }) => metadata.name === name)
  const spec = { signerName: SIGNER, trustBundle: ca }
  const remove = published.filter((bundle) => bundle !== current)
  if (current === undefined)
    return { create: { apiVersion: 'certificates.k8s.io/v1beta1', kind: 'ClusterTrustBundle', metadata: { name }, spec }, remove }
  return current.spec.trustBundle === ca ? { remove } : { update: { ...current, spec }, remove }
}
