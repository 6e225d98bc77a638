import type { KubeObject } from '../../machinery/object.ts'
import { ipAddressOf } from '../../resources/networking/ip-address-of.ts'
import { IP_ADDRESSES, PRIORITY_CLASSES, SERVICE_CIDRS } from '../../resources/refs.ts'
import type { ConfigMap, Service } from '../../resources/types/core.ts'
import type { ServiceCIDR } from '../../resources/types/networking.ts'
import type { PriorityClass } from '../../resources/types/scheduling.ts'
import { apiServices, type ServedVersions } from './api-services.ts'
import { clusterRoleBindings, roleBindings } from './bindings.ts'
import { clusterRoles } from './cluster-roles.ts'
import { flowSchemas, priorityLevels } from './flow-control.ts'
import { gatedBindings, withGatedRoles } from './gated-roles.ts'
import { roles } from './roles.ts'
import { firstServiceAddress } from './service-address.ts'

export interface BootstrapConfig extends ServedVersions {
  /** `10.0.0.0/24`, or two ranges of different families, separated by a comma. */
  readonly serviceCidr: string
  /** Whether the default roles and bindings are created: if RBAC is enabled. */
  readonly roles: boolean
  /** The server's port: the target of the service `kubernetes`. */
  readonly port: number
  /** The node port of that service; 0, the default: it has none. */
  readonly nodePort?: number
}

/** An object that must exist, and what of it is repaired at a later start. */
export interface BootstrapObject {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly object: KubeObject
  /**
   * `rules`, `subjects`: missing ones are added, unless the object opts out. `spec`: made equal, unless the object opts out; `mandatory`:
   * even then. `data`: made equal. `ranges`: a missing second range is added. `none`: the object only has to exist.
   */
  readonly keep: 'none' | 'rules' | 'subjects' | 'spec' | 'mandatory' | 'data' | 'ranges'
  /** The field manager; default `kube-apiserver`. */
  readonly manager?: string
  /** Who applies the status of the object, if it has one. */
  readonly statusManager?: string
}

/** The objects of a new cluster, in waves: each depends on the previous ones. `now` is RFC 3339. */
export function bootstrapObjects(config: BootstrapConfig, now: string): BootstrapObject[][] {
  const core = (resource: string, object: KubeObject, keep: BootstrapObject['keep'] = 'none'): BootstrapObject => ({
    group: '',
    version: 'v1',
    resource,
    object,
    keep,
  })
  return [
    [
      ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) =>
        core('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
      ),
      serviceCidr(config, now),
      ...priorityClasses(),
    ],
    [
      ...(config.roles ? defaultRoles(config.gatedKinds.map(({ gate }) => gate)) : []),
      ...flowControlObjects(),
      ...apiServices(config).map(
        (object): BootstrapObject => ({ group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', object, keep: 'none' }),
      ),
      core('services', kubernetesService(config)),
      core('configmaps', tokenTracking(now)),
    ],
    // The allocator of service addresses usually creates it; here in case it did not.
    [{ ...IP_ADDRESSES, object: ipAddressOf(firstServiceAddress(config.serviceCidr), kubernetesService(config)), keep: 'none' }],
  ]
}

const MANDATORY = new Set(['exempt', 'catch-all'])

/** The default priority levels and flow schemas. */
export function flowControlObjects(): BootstrapObject[] {
  const all = (resource: string, objects: KubeObject[]) =>
    objects.map(
      (object): BootstrapObject => ({
        group: 'flowcontrol.apiserver.k8s.io',
        version: 'v1',
        resource,
        object,
        keep: MANDATORY.has(object.metadata.name ?? '') ? 'mandatory' : 'spec',
        manager: 'api-priority-and-fairness-config-producer-v1',
      }),
    )
  return [...all('prioritylevelconfigurations', priorityLevels()), ...all('flowschemas', flowSchemas())]
}

function defaultRoles(gates: readonly string[]): BootstrapObject[] {
  const rbac = (resource: string, keep: BootstrapObject['keep'], objects: KubeObject[]) =>
    objects.map((object): BootstrapObject => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource, object, keep }))
  return [
    ...rbac('clusterroles', 'rules', withGatedRoles(clusterRoles(), gates)),
    ...rbac('clusterrolebindings', 'subjects', [...clusterRoleBindings(), ...gatedBindings(gates)]),
    ...rbac('roles', 'rules', roles()),
    ...rbac('rolebindings', 'subjects', roleBindings()),
  ]
}

function priorityClasses(): BootstrapObject[] {
  const one = (name: string, value: number, description: string): BootstrapObject => {
    const object: PriorityClass = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    }
    return { ...PRIORITY_CLASSES, keep: 'none', object }
  }
  return [
    one(
      'system-cluster-critical',
      2_000_000_000,
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    ),
    one('system-node-critical', 2_000_001_000, 'Used for system critical pods that must not be moved from their current node.'),
  ]
}

/** A single range is never changed, so that objects with one need not be compared when a server starts. */
function serviceCidr(config: BootstrapConfig, now: string): BootstrapObject {
  const cidrs = config.serviceCidr.split(',')
  const object: ServiceCIDR = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes' },
    spec: { cidrs },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: now, reason: '', message: 'Kubernetes default Service CIDR is ready' },
      ],
    },
  }
  return { ...SERVICE_CIDRS, object, keep: cidrs.length > 1 ? 'ranges' : 'none', statusManager: 'kubernetes-service-cidr-controller' }
}

/** The service by which programs in pods find the server. */
export function kubernetesService(config: BootstrapConfig): Service {
  const { port, nodePort = 0 } = config
  const clusterIP = firstServiceAddress(config.serviceCidr)
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port, ...(nodePort > 0 && { nodePort }) }],
      clusterIP,
      type: nodePort > 0 ? 'NodePort' : 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilyPolicy: 'SingleStack',
    },
  }
}

/** The day since which the last use of legacy service account tokens is recorded. The legacy token cleaner reads it. */
function tokenTracking(now: string): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
    data: { since: now.slice(0, 10) },
  }
}
