import { type Kind, kindOf } from './kind.ts'

const core = (kind: string, plural: string, namespaced = true): Kind => kindOf({ group: '', version: 'v1', kind, plural, namespaced })
const of = (group: string, kind: string, plural: string, namespaced = true): Kind =>
  kindOf({ group, version: 'v1', kind, plural, namespaced })

/** Kinds of Kubernetes that operators make or look at; `kindOf` makes others. Give a type of your own as `const Job: Kind<MyJob> = kinds.JOB`. */
export const POD = core('Pod', 'pods')
export const SERVICE = core('Service', 'services')
export const CONFIG_MAP = core('ConfigMap', 'configmaps')
export const SECRET = core('Secret', 'secrets')
export const SERVICE_ACCOUNT = core('ServiceAccount', 'serviceaccounts')
export const PERSISTENT_VOLUME_CLAIM = core('PersistentVolumeClaim', 'persistentvolumeclaims')
export const PERSISTENT_VOLUME = core('PersistentVolume', 'persistentvolumes', false)
export const RESOURCE_QUOTA = core('ResourceQuota', 'resourcequotas')
export const LIMIT_RANGE = core('LimitRange', 'limitranges')
export const NAMESPACE = core('Namespace', 'namespaces', false)
export const NODE = core('Node', 'nodes', false)
export const DEPLOYMENT = of('apps', 'Deployment', 'deployments')
export const STATEFUL_SET = of('apps', 'StatefulSet', 'statefulsets')
export const DAEMON_SET = of('apps', 'DaemonSet', 'daemonsets')
export const REPLICA_SET = of('apps', 'ReplicaSet', 'replicasets')
export const JOB = of('batch', 'Job', 'jobs')
export const CRON_JOB = of('batch', 'CronJob', 'cronjobs')
export const HORIZONTAL_POD_AUTOSCALER = kindOf({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
})
export const POD_DISRUPTION_BUDGET = of('policy', 'PodDisruptionBudget', 'poddisruptionbudgets')
export const INGRESS = of('networking.k8s.io', 'Ingress', 'ingresses')
export const NETWORK_POLICY = of('networking.k8s.io', 'NetworkPolicy', 'networkpolicies')
export const ROLE = of('rbac.authorization.k8s.io', 'Role', 'roles')
export const ROLE_BINDING = of('rbac.authorization.k8s.io', 'RoleBinding', 'rolebindings')
export const CLUSTER_ROLE = of('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles', false)
export const CLUSTER_ROLE_BINDING = of('rbac.authorization.k8s.io', 'ClusterRoleBinding', 'clusterrolebindings', false)
export const ENDPOINT_SLICE = of('discovery.k8s.io', 'EndpointSlice', 'endpointslices')
export const LEASE = of('coordination.k8s.io', 'Lease', 'leases')
export const STORAGE_CLASS = of('storage.k8s.io', 'StorageClass', 'storageclasses', false)
export const PRIORITY_CLASS = of('scheduling.k8s.io', 'PriorityClass', 'priorityclasses', false)
export const CUSTOM_RESOURCE_DEFINITION = of('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions', false)
