import { semanticEqual } from '../../machinery/equal.ts'
import type { ConfigMap, Namespace } from '../../resources/types/core.ts'

export const ROOT_CA = 'kube-root-ca.crt'
const DESCRIPTION = 'kubernetes.io/description'
const DESCRIPTION_TEXT =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

export type RootCaPlan = { readonly kind: 'keep' } | { readonly kind: 'create' | 'update'; readonly configMap: ConfigMap }

/** The config map that a namespace should have. `ca`: the cluster's CA, PEM. Pure. */
export function planRootCa(namespace: Namespace, current: ConfigMap | undefined, ca: string): RootCaPlan {
  if (namespace.status?.phase === 'Terminating') return { kind: 'keep' }
  const data = { 'ca.crt': ca }
  const described = { [DESCRIPTION]: DESCRIPTION_TEXT }
  if (current === undefined) {
    const metadata = { name: ROOT_CA, namespace: namespace.metadata.name ?? '', annotations: described }
    return { kind: 'create', configMap: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } }
  }
  const { annotations } = current.metadata
  if (semanticEqual(current.data, data) && annotations?.[DESCRIPTION]) return { kind: 'keep' }
  const metadata = { ...current.metadata, annotations: { ...annotations, ...described } }
  return { kind: 'update', configMap: { ...current, metadata, data } }
}
