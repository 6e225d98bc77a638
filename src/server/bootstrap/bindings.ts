import type { KubeObject } from '../../machinery/object.ts'
import { readBindings } from './notation.ts'

/** The default cluster role bindings. */
export function clusterRoleBindings(): KubeObject[] {
  const controllers = CONTROLLERS.trim()
    .split(/\s+/)
    .map((name) => `system:controller:${name} -> system:controller:${name}: account kube-system/${name}`)
  return readBindings('ClusterRoleBinding', `${CLUSTER}${controllers.join('\n')}`)
}

/** The default role bindings. */
export function roleBindings(): KubeObject[] {
  return readBindings('RoleBinding', NAMESPACED)
}

/** Each has a role `system:controller:NAME` and a service account NAME in kube-system. */
const CONTROLLERS = `
  attachdetach-controller certificate-controller clusterrole-aggregation-controller cronjob-controller daemon-set-controller
  deployment-controller device-taint-eviction-controller disruption-controller endpoint-controller endpointslice-controller
  endpointslicemirroring-controller ephemeral-volume-controller expand-controller generic-garbage-collector horizontal-pod-autoscaler
  job-controller legacy-service-account-token-cleaner namespace-controller node-controller persistent-volume-binder
  pod-garbage-collector pv-protection-controller pvc-protection-controller replicaset-controller replication-controller
  resource-claim-controller resourcequota-controller root-ca-cert-publisher route-controller selinux-warning-controller
  service-account-controller service-cidrs-controller service-controller statefulset-controller ttl-after-finished-controller
  ttl-controller validatingadmissionpolicy-status-controller volumeattributesclass-protection-controller
`

/** `name -> role: subject, subject` */
const CLUSTER = `
cluster-admin -> cluster-admin: group system:masters
system:basic-user -> system:basic-user: group system:authenticated
system:discovery -> system:discovery: group system:authenticated
system:kube-controller-manager -> system:kube-controller-manager: user system:kube-controller-manager
system:kube-dns -> system:kube-dns: account kube-system/kube-dns
system:kube-scheduler -> system:kube-scheduler: user system:kube-scheduler
system:monitoring -> system:monitoring: group system:monitoring
system:node -> system:node
system:node-proxier -> system:node-proxier: user system:kube-proxy
system:public-info-viewer -> system:public-info-viewer: group system:authenticated, group system:unauthenticated
system:service-account-issuer-discovery -> system:service-account-issuer-discovery: group system:serviceaccounts
system:volume-scheduler -> system:volume-scheduler: user system:kube-scheduler
`

/** `namespace name -> role: subject, subject` */
const NAMESPACED = `
kube-public system:controller:bootstrap-signer -> system:controller:bootstrap-signer: account kube-system/bootstrap-signer
kube-system system::extension-apiserver-authentication-reader -> extension-apiserver-authentication-reader: user system:kube-controller-manager, user system:kube-scheduler
kube-system system::leader-locking-kube-controller-manager -> system::leader-locking-kube-controller-manager: user system:kube-controller-manager, account kube-system/kube-controller-manager, account kube-system/leader-election-controller
kube-system system::leader-locking-kube-scheduler -> system::leader-locking-kube-scheduler: user system:kube-scheduler, account kube-system/kube-scheduler
kube-system system:controller:bootstrap-signer -> system:controller:bootstrap-signer: account kube-system/bootstrap-signer
kube-system system:controller:cloud-provider -> system:controller:cloud-provider: account kube-system/cloud-provider
kube-system system:controller:token-cleaner -> system:controller:token-cleaner: account kube-system/token-cleaner
`
