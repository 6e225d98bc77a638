import { readBindings, readClusterRoles } from './notation.ts'

/** The roles that the feature gate ClusterTrustBundle adds. */
export const trustBundleRoles = () =>
  readClusterRoles(`
system:cluster-trust-bundle-discovery
  get,list,watch certificates.k8s.io: clustertrustbundles
system:controller:kube-apiserver-serving-clustertrustbundle-publisher
  attest certificates.k8s.io: signers = kubernetes.io/kube-apiserver-serving
  create,delete,list,update,watch certificates.k8s.io: clustertrustbundles
  create,patch,update core,events.k8s.io: events
`)

/** The bindings of these roles. */
export const trustBundleBindings = () =>
  readBindings(
    'ClusterRoleBinding',
    `
system:cluster-trust-bundle-discovery -> system:cluster-trust-bundle-discovery: group system:serviceaccounts
system:controller:kube-apiserver-serving-clustertrustbundle-publisher -> system:controller:kube-apiserver-serving-clustertrustbundle-publisher: account kube-system/kube-apiserver-serving-clustertrustbundle-publisher
`,
  )
