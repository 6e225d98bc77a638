import type { GroupVersionKind } from '../machinery/object.ts'
import { builtinKinds } from './schema.ts'

/**
 * Kinds of versions that Kubernetes 1.36 can convert but does not serve, by apiVersion: a body of one of them is recognised as another
 * version of its kind. Asked of kube-apiserver 1.36.3.
 */
const UNSERVED: Readonly<Record<string, readonly string[]>> = {
  'extensions/v1beta1': ['DaemonSet', 'Deployment', 'Ingress', 'NetworkPolicy', 'ReplicaSet', 'Scale'],
  'apps/v1beta1': ['ControllerRevision', 'Deployment', 'Scale', 'StatefulSet'],
  'apps/v1beta2': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'Scale', 'StatefulSet'],
  'networking.k8s.io/v1beta1': ['Ingress', 'IngressClass', 'IPAddress', 'ServiceCIDR'],
  'policy/v1beta1': ['PodDisruptionBudget'],
  'batch/v1beta1': ['CronJob'],
  'discovery.k8s.io/v1beta1': ['EndpointSlice'],
  'events.k8s.io/v1beta1': ['Event'],
  'coordination.k8s.io/v1beta1': ['Lease'],
  'rbac.authorization.k8s.io/v1alpha1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'rbac.authorization.k8s.io/v1beta1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'storage.k8s.io/v1alpha1': ['CSIStorageCapacity', 'VolumeAttachment', 'VolumeAttributesClass'],
  'storage.k8s.io/v1beta1': ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'StorageClass', 'VolumeAttachment', 'VolumeAttributesClass'],
  'scheduling.k8s.io/v1beta1': ['PriorityClass'],
  'node.k8s.io/v1alpha1': ['RuntimeClass'],
  'node.k8s.io/v1beta1': ['RuntimeClass'],
  'flowcontrol.apiserver.k8s.io/v1beta1': ['FlowSchema', 'PriorityLevelConfiguration'],
  'flowcontrol.apiserver.k8s.io/v1beta2': ['FlowSchema', 'PriorityLevelConfiguration'],
  'flowcontrol.apiserver.k8s.io/v1beta3': ['FlowSchema', 'PriorityLevelConfiguration'],
  'certificates.k8s.io/v1beta1': ['CertificateSigningRequest'],
  'admissionregistration.k8s.io/v1alpha1': [
    ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  ],
  'admissionregistration.k8s.io/v1beta1': [
    ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  ],
  'resource.k8s.io/v1beta1': ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  'resource.k8s.io/v1beta2': ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  'authorization.k8s.io/v1beta1': ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'],
  'authentication.k8s.io/v1alpha1': ['SelfSubjectReview'],
  'authentication.k8s.io/v1beta1': ['SelfSubjectReview', 'TokenReview'],
  'apiregistration.k8s.io/v1beta1': ['APIService'],
  'apiextensions.k8s.io/v1beta1': ['CustomResourceDefinition'],
}

/** Whether Kubernetes can convert the kind from this version, which it does not serve. */
export const isUnservedKind = ({ group, version, kind }: GroupVersionKind): boolean =>
  UNSERVED[`${group}/${version}`]?.includes(kind) === true

/** The groups whose servers have a scheme (a registry of types) of their own; all others share one. */
const OWN_SCHEMES = ['apiextensions.k8s.io', 'apiregistration.k8s.io']
const schemeOf = (group: string) => (OWN_SCHEMES.includes(group) ? group : '')

/** Types that every scheme has, in any version. */
const UNVERSIONED = ['Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList']
/** Types that a scheme has in each of its versions, and in `v1`. */
const IN_EACH_VERSION = ['WatchEvent', 'ListOptions', 'GetOptions', 'DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions']

/** The Go package of a kind's type. */
export const goPackageOf = ({ version, kind }: GroupVersionKind): string =>
  UNVERSIONED.includes(kind) || IN_EACH_VERSION.includes(kind) ? 'v1' : version

/** Whether the scheme of a group has this kind, served or not. */
export function isKnownKind(named: GroupVersionKind, schemeOfGroup: string): boolean {
  const { group, version, kind } = named
  if (UNVERSIONED.includes(kind)) return true
  const isOption = IN_EACH_VERSION.includes(kind)
  if (isOption && group === '' && version === 'v1') return true
  if (schemeOf(group) !== schemeOf(schemeOfGroup)) return false
  const kinds = builtinKinds(group, version)
  if (isOption) return kinds.length > 0 || UNSERVED[`${group}/${version}`] !== undefined
  const element = kind.replace(/List$/, '')
  return kinds.includes(kind) || kinds.includes(element) || isUnservedKind({ ...named, kind: element })
}
