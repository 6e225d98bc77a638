import type { KubeObject } from '../../machinery/object.ts'
import type { Deployment } from '../../resources/types/apps.ts'
import type { Container, PodSpec, ServiceAccount } from '../../resources/types/core.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '../../resources/types/rbac.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Controller } from './controller.ts'

const LOOK = ['get', 'list', 'watch']
const MAKE = ['create', 'patch', 'delete']

/**
 * The permissions that these controllers need for what the SDK does for them; what reconcilers do through `client` is to be added.
 *
 * ```ts
 * const rules = rulesOf([controller({ for: kinds.CONFIG_MAP, owns: [kinds.SECRET], reconcile: () => undefined })])
 * ```
 */
export function rulesOf(controllers: readonly Controller[], { leaderElection = false } = {}): PolicyRule[] {
  const wanted = new Map<string, Set<string>>()
  const allow = ({ group }: Pick<Kind, 'group'>, resource: string, verbs: readonly string[]) => {
    const key = JSON.stringify([group, resource])
    wanted.set(key, new Set([...(wanted.get(key) ?? []), ...verbs]))
  }
  for (const { for: kind, owns, watches, config } of controllers) {
    allow(kind, kind.plural, config.finalize === undefined ? LOOK : [...LOOK, 'patch'])
    allow(kind, `${kind.plural}/status`, ['patch'])
    // Owner references with blockOwnerDeletion need it where OwnerReferencesPermissionEnforcement is on (OpenShift).
    if (owns.length > 0) allow(kind, `${kind.plural}/finalizers`, ['update'])
    for (const owned of owns) allow(owned.kind, owned.kind.plural, [...LOOK, ...MAKE])
    for (const watched of watches) allow(watched.kind, watched.kind.plural, LOOK)
  }
  allow({ group: '' }, 'events', ['create', 'patch'])
  if (leaderElection) allow({ group: 'coordination.k8s.io' }, 'leases', ['get', 'create', 'update'])
  return [...wanted].map(([key, verbs]) => {
    const [group = '', resource = ''] = JSON.parse(key) as string[]
    return { apiGroups: [group], resources: [resource], verbs: [...verbs] }
  })
}

/** How an operator is put into a cluster. */
export interface OperatorDeployment {
  /** Of all objects. */
  readonly name: string
  /** It is not made here. */
  readonly namespace: string
  readonly image: string
  readonly controllers: readonly Controller[]
  /** Default 1. With more, elect a leader. */
  readonly replicas?: number
  /** Permissions beyond `rulesOf`. */
  readonly rules?: readonly PolicyRule[]
  /** Of the container. Default: the image's. */
  readonly args?: readonly string[]
  /** Where its probes are. Default 8081. */
  readonly healthPort?: number
}

/**
 * What runs an operator in a cluster: ServiceAccount, ClusterRole, ClusterRoleBinding and Deployment. Definitions of kinds are not among
 * them.
 *
 * ```ts
 * for (const manifest of operatorManifests({ name: 'gadgets', namespace: 'gadgets', image: 'gadgets:1', controllers: [] }))
 * console.log(JSON.stringify(manifest))
 * ```
 */
export function operatorManifests(deployment: OperatorDeployment): KubeObject[] {
  const { name, namespace, image, controllers, replicas = 1, rules = [], args, healthPort = 8081 } = deployment
  const labels = { 'app.kubernetes.io/name': name }
  const probe = (path: string) => ({ httpGet: { path, port: healthPort } })
  const container: Container = {
    name: 'operator',
    image,
    ...(args === undefined ? {} : { args: [...args] }),
    ports: [{ name: 'health', containerPort: healthPort }],
    livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { ...probe('/readyz'), initialDelaySeconds: 5, periodSeconds: 10 },
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  }
  const pod: PodSpec = {
    serviceAccountName: name,
    terminationGracePeriodSeconds: 35,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
  }
  const group = 'rbac.authorization.k8s.io'
  const all = [...rulesOf(controllers, { leaderElection: replicas > 1 }), ...rules]
  const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } }
  const role: ClusterRole = { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: { name, labels }, rules: all }
  const binding: ClusterRoleBinding = {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  }
  const deployed: Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
  }
  return [account, role, binding, deployed]
}
