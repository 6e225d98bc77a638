import type { KubeObject } from '../../machinery/object.ts'
import type { ClusterRole } from '../../resources/types/rbac.ts'
import { readBindings, readClusterRoles } from './notation.ts'

/** The default cluster roles, with what these feature gates add to them. */
export function withGatedRoles(roles: readonly ClusterRole[], gates: readonly string[]): ClusterRole[] {
  const byName = new Map(roles.map((role) => [role.metadata.name, role]))
  for (const added of gates.flatMap((gate) => readClusterRoles(ROLES[gate] ?? ''))) {
    const known = byName.get(added.metadata.name)
    byName.set(added.metadata.name, known ? { ...known, rules: [...(known.rules ?? []), ...(added.rules ?? [])] } : added)
  }
  return [...byName.values()]
}

/** The bindings of these roles. */
export const gatedBindings = (gates: readonly string[]): KubeObject[] =>
  gates.flatMap((gate) => readBindings('ClusterRoleBinding', BINDINGS[gate] ?? ''))

const ROLES: Readonly<Record<string, string>> = {
  ClusterTrustBundle: `
system:cluster-trust-bundle-discovery
  get,list,watch certificates.k8s.io: clustertrustbundles
system:controller:kube-apiserver-serving-clustertrustbundle-publisher
  attest certificates.k8s.io: signers = kubernetes.io/kube-apiserver-serving
  create,delete,list,update,watch certificates.k8s.io: clustertrustbundles
  create,patch,update core,events.k8s.io: events
`,
  GenericWorkload: `
system:aggregate-to-view
  get,list,watch scheduling.k8s.io: podgroups podgroups/status workloads
system:aggregate-to-edit
  create,delete,deletecollection,patch,update scheduling.k8s.io: podgroups workloads
system:kube-scheduler
  get,list,watch scheduling.k8s.io: podgroups
  patch,update scheduling.k8s.io: podgroups/status
`,
}

const BINDINGS: Readonly<Record<string, string>> = {
  ClusterTrustBundle: `
system:cluster-trust-bundle-discovery -> system:cluster-trust-bundle-discovery: group system:serviceaccounts
system:controller:kube-apiserver-serving-clustertrustbundle-publisher -> system:controller:kube-apiserver-serving-clustertrustbundle-publisher: account kube-system/kube-apiserver-serving-clustertrustbundle-publisher
`,
}
