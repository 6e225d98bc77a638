import type { Json, JsonObject } from '../src/machinery/object.ts'

const POD_SPEC = { containers: [{ name: 'a', image: 'a' }], schedulerName: 'none' }
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: POD_SPEC }
const ONCE = { ...TEMPLATE, spec: { ...POD_SPEC, restartPolicy: 'Never' } }
const SELECTED = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE }

/** The least that an object of a kind needs to be valid; kinds that are absent need nothing, or are not tried further. */
const LEAST: Readonly<Record<string, JsonObject>> = {
  Pod: { spec: POD_SPEC },
  PodTemplate: { template: TEMPLATE },
  ReplicationController: { spec: { replicas: 0, selector: { a: 'b' }, template: TEMPLATE } },
  Deployment: { spec: SELECTED },
  ReplicaSet: { spec: SELECTED },
  StatefulSet: { spec: { ...SELECTED, serviceName: 'a' } },
  DaemonSet: { spec: { selector: SELECTED.selector, template: TEMPLATE, updateStrategy: { type: 'OnDelete' } } },
  Job: { spec: { suspend: true, template: ONCE } },
  CronJob: { spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: { template: ONCE } } } },
  Service: { spec: { ports: [{ name: 'a', port: 80 }] } },
  Endpoints: { subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ name: 'a', port: 80 }] }] },
  EndpointSlice: { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.1.1'] }], ports: [] },
  PersistentVolume: { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } },
  PersistentVolumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  Ingress: { spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } } },
  NetworkPolicy: { spec: { podSelector: {} } },
  RoleBinding: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' } },
  ClusterRoleBinding: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a' } },
  PriorityClass: { value: 1 },
  StorageClass: { provisioner: 'a.b/c' },
  RuntimeClass: { handler: 'a' },
  ResourceSlice: { spec: { driver: 'a.b', nodeName: 'a', pool: { name: 'a', resourceSliceCount: 1, generation: 1 } } },
  HorizontalPodAutoscaler: { spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' } } },
}

const isMap = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The long object, with what its kind needs beside it; of lists the first items are joined. */
export function validObject(kind: string, long: JsonObject): JsonObject {
  const least = LEAST[kind]
  return least === undefined ? long : joined(least, long)
}

function joined(least: JsonObject, long: JsonObject): JsonObject {
  const out: JsonObject = { ...least }
  for (const [field, value] of Object.entries(long)) out[field] = joinedValue(least[field], value)
  return out
}

function joinedValue(least: Json | undefined, long: Json | undefined): Json {
  if (isMap(least) && isMap(long)) return joined(least, long)
  if (Array.isArray(least) && Array.isArray(long) && long.length === 1) return [joinedValue(least[0], long[0])]
  return long ?? null
}
