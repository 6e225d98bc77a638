import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiVersionOf, asKubeObject, isObject } from '../machinery/object.ts'
import type { PrinterColumn } from '../machinery/resource/definition.ts'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import { builtinResources } from './builtin.ts'

const NOW = Date.parse('2026-01-01T00:10:00Z')
/** Ten minutes old. */
const CREATED = '2026-01-01T00:00:00Z'

/** By `plural.group`, or `plural.group version` where a kind has several. */
const tables = new Map<string, { readonly apiVersion: string; readonly columns: readonly PrinterColumn[] }>()
for (const { names, group, versions } of builtinResources())
  for (const { version, columns } of versions) {
    const resource = `${names.plural}${group === '' ? '' : `.${group}`}${versions.length > 1 ? ` ${version}` : ''}`
    tables.set(resource, { apiVersion: apiVersionOf({ group, version }), columns })
  }

const headerOf = ({ name, priority, type, format, declared = true }: PrinterColumn) =>
  `${declared ? name : `(${name})`}${'*'.repeat(priority)}${type === 'string' ? '' : `:${type}`}${format === '' ? '' : `/${format}`}`

/**
 * The columns of each kind's table: `*` marks those that only `-o wide` shows, `( )` cells without a declared column; types other than
 * string and formats are named. Those of
 * kinds that `test/recordings` has tables of are as Kubernetes answered.
 */
const COLUMNS: readonly (readonly [resource: string, columns: string])[] = [
  ['componentstatuses', 'Name/name | Status | Message | Error'],
  ['configmaps', 'Name/name | Data | Age'],
  ['endpoints', 'Name/name | Endpoints | Age'],
  ['events', 'Last Seen | Type | Reason | Object | Subobject* | Source* | Message | First Seen* | Count* | Name*/name'],
  ['namespaces', 'Name/name | Status | Age'],
  ['nodes', 'Name/name | Status | Roles | Age | Version | Internal-IP* | External-IP* | OS-Image* | Kernel-Version* | Container-Runtime*'],
  [
    'persistentvolumeclaims',
    'Name/name | Status | Volume | Capacity | Access Modes | StorageClass | VolumeAttributesClass | Age | VolumeMode*',
  ],
  [
    'persistentvolumes',
    'Name/name | Capacity | Access Modes | Reclaim Policy | Status | Claim | StorageClass | VolumeAttributesClass | Reason | Age | VolumeMode*',
  ],
  ['pods', 'Name/name | Ready | Status | Restarts | Age | IP* | Node* | Nominated Node* | Readiness Gates*'],
  ['podtemplates', 'Name/name | Containers | Images | Pod Labels'],
  ['replicationcontrollers', 'Name/name | Desired:integer | Current:integer | Ready:integer | Age | Containers* | Images* | Selector*'],
  ['resourcequotas', 'Name/name | Request | Limit | Age'],
  ['secrets', 'Name/name | Type | Data | Age'],
  ['serviceaccounts', 'Name/name | Age'],
  ['services', 'Name/name | Type | Cluster-IP | External-IP | Port(s) | Age | Selector*'],
  ['apiservices.apiregistration.k8s.io', 'Name/name | Service | Available | Age'],
  ['controllerrevisions.apps', 'Name/name | Controller | Revision | Age'],
  [
    'daemonsets.apps',
    'Name/name | Desired:integer | Current:integer | Ready:integer | Up-to-date:integer | Available:integer | Node Selector | Age | Containers* | Images* | Selector*',
  ],
  ['deployments.apps', 'Name/name | Ready | Up-to-date | Available | Age | Containers* | Images* | Selector*'],
  ['replicasets.apps', 'Name/name | Desired:integer | Current:integer | Ready:integer | Age | Containers* | Images* | Selector*'],
  ['statefulsets.apps', 'Name/name | Ready | Age | Containers* | Images*'],
  ['events.events.k8s.io', 'Last Seen | Type | Reason | Object | Subobject* | Source* | Message | First Seen* | Count* | Name*/name'],
  ['horizontalpodautoscalers.autoscaling v2', 'Name/name | Reference | Targets | MinPods | MaxPods | Replicas | Age'],
  ['horizontalpodautoscalers.autoscaling v1', 'Name/name | Reference | Targets | MinPods | MaxPods | Replicas | Age'],
  [
    'cronjobs.batch',
    'Name/name | Schedule | Timezone | Suspend:boolean | Active:integer | Last Schedule | Age | Containers* | Images* | Selector*',
  ],
  ['jobs.batch', 'Name/name | Status | Completions | Duration | Age | Containers* | Images* | Selector*'],
  ['certificatesigningrequests.certificates.k8s.io', 'Name/name | Age | SignerName | Requestor | RequestedDuration | Condition'],
  ['ingressclasses.networking.k8s.io', 'Name/name | Controller | Parameters | Age'],
  ['ingresses.networking.k8s.io', 'Name/name | Class | Hosts | Address | Ports | Age'],
  ['ipaddresses.networking.k8s.io', 'Name/name | ParentRef | (Age)'],
  ['networkpolicies.networking.k8s.io', 'Name/name | Pod-Selector | Age'],
  ['servicecidrs.networking.k8s.io', 'Name/name | CIDRs | Age'],
  ['poddisruptionbudgets.policy', 'Name/name | Min Available | Max Unavailable | Allowed Disruptions:integer | Age'],
  ['clusterrolebindings.rbac.authorization.k8s.io', 'Name/name | Role | Age | Users* | Groups* | ServiceAccounts*'],
  ['rolebindings.rbac.authorization.k8s.io', 'Name/name | Role | Age | Users* | Groups* | ServiceAccounts*'],
  [
    'csidrivers.storage.k8s.io',
    'Name/name | AttachRequired:boolean | PodInfoOnMount:boolean | StorageCapacity:boolean | TokenRequests | RequiresRepublish:boolean | Modes | Age',
  ],
  ['csinodes.storage.k8s.io', 'Name/name | Drivers:integer | Age'],
  ['storageclasses.storage.k8s.io', 'Name/name | Provisioner | ReclaimPolicy | VolumeBindingMode | AllowVolumeExpansion | Age'],
  ['volumeattachments.storage.k8s.io', 'Name/name | Attacher/name | PV | Node | Attached:boolean | Age'],
  ['volumeattributesclasses.storage.k8s.io', 'Name/name | DriverName | Age'],
  ['mutatingadmissionpolicies.admissionregistration.k8s.io', 'Name/name | Mutations:integer | ParamKind | Age'],
  ['mutatingadmissionpolicybindings.admissionregistration.k8s.io', 'Name/name | PolicyName | ParamRef | Age'],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', 'Name/name | Webhooks:integer | Age'],
  ['validatingadmissionpolicies.admissionregistration.k8s.io', 'Name/name | Validations:integer | ParamKind | Age'],
  ['validatingadmissionpolicybindings.admissionregistration.k8s.io', 'Name/name | PolicyName | ParamRef | Age'],
  ['validatingwebhookconfigurations.admissionregistration.k8s.io', 'Name/name | Webhooks:integer | Age'],
  ['priorityclasses.scheduling.k8s.io', 'Name/name | Value:integer | Global-Default:boolean | Age | PreemptionPolicy'],
  ['leases.coordination.k8s.io', 'Name/name | Holder | Age'],
  ['runtimeclasses.node.k8s.io', 'Name/name | Handler | Age'],
  ['endpointslices.discovery.k8s.io', 'Name/name | AddressType | Ports | Endpoints | Age'],
  ['deviceclasses.resource.k8s.io', 'Name/name | Age'],
  ['resourceclaims.resource.k8s.io', 'Name/name | State | Age'],
  ['resourceclaimtemplates.resource.k8s.io', 'Name/name | Age'],
  ['resourceslices.resource.k8s.io', 'Name/name | Node | Driver | Pool | Age'],
  ['flowschemas.flowcontrol.apiserver.k8s.io', 'Name/name | PriorityLevel | MatchingPrecedence | DistinguisherMethod | Age | MissingPL'],
  [
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    'Name/name | Type | NominalConcurrencyShares | Queues | HandSize | QueueLengthLimit | Age',
  ],
]
for (const [resource, columns] of COLUMNS)
  test(`columns of ${resource}`, () => assert.equal(tables.get(resource)?.columns.map(headerOf).join(' | '), columns))

test('kinds without columns of their own show when an object was created', () => {
  const named = new Set(COLUMNS.map(([resource]) => resource))
  for (const [resource, { columns }] of tables)
    if (!named.has(resource)) assert.equal(columns.map(headerOf).join(' | '), 'Name/name | Created At:date', resource)
})

/** An object as it is stored, without name and time of creation, and its cells. */
const CELLS: readonly (readonly [resource: string, object: string, cells: string])[] = [
  ['limitranges', '{}', 'a | 2026-01-01T00:00:00Z'],
  ['serviceaccounts', '{}', 'a | 10m'],

  ['mutatingadmissionpolicies.admissionregistration.k8s.io', '{spec: {mutations: [{}, {}]}}', 'a | 2 | <unset> | 10m'],
  [
    'validatingadmissionpolicies.admissionregistration.k8s.io',
    '{spec: {paramKind: {apiVersion: v1, kind: ConfigMap}, validations: [{}]}}',
    'a | 1 | v1/ConfigMap | 10m',
  ],
  ['validatingadmissionpolicybindings.admissionregistration.k8s.io', '{spec: {policyName: p}}', 'a | p | <unset> | 10m'],
  ['validatingadmissionpolicybindings.admissionregistration.k8s.io', '{spec: {policyName: p, paramRef: {name: c}}}', 'a | p | */c | 10m'],
  [
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    '{spec: {policyName: p, paramRef: {namespace: x, selector: {matchLabels: {b: c}}}}}',
    'a | p | &LabelSelector{MatchLabels:map[string]string{b: c,},MatchExpressions:[]LabelSelectorRequirement{},} | 10m',
  ],
  [
    'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    '{spec: {policyName: p, paramRef: {namespace: x, name: c}}}',
    'a | p | x/c | 10m',
  ],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', '{webhooks: [{}, {}]}', 'a | 2 | 10m'],

  ['apiservices.apiregistration.k8s.io', '{}', 'a | Local | Unknown | 10m'],
  [
    'apiservices.apiregistration.k8s.io',
    '{spec: {service: {namespace: x, name: s}}, status: {conditions: [{type: Other, status: "True"}, {type: Available, status: "True"}]}}',
    'a | x/s | True | 10m',
  ],
  [
    'apiservices.apiregistration.k8s.io',
    '{status: {conditions: [{type: Available, status: "False", reason: MissingEndpoints}]}}',
    'a | Local | False (MissingEndpoints) | 10m',
  ],

  ['controllerrevisions.apps', '{}', 'a | <none> | 0 | 10m'],
  [
    'controllerrevisions.apps',
    '{metadata: {ownerReferences: [{apiVersion: v1, kind: Other, name: o}, {apiVersion: apps/v1, kind: DaemonSet, name: d, controller: true}]}, revision: 3}',
    'a | daemonset.apps/d | 3 | 10m',
  ],
  [
    'controllerrevisions.apps',
    '{metadata: {ownerReferences: [{apiVersion: v1, kind: Node, name: m, controller: true}]}, revision: 1}',
    'a | node/m | 1 | 10m',
  ],
  ['daemonsets.apps', '{}', 'a | 0 | 0 | 0 | 0 | 0 | <none> | 10m |  |  | <none>'],
  [
    'daemonsets.apps',
    '{spec: {selector: {matchLabels: {a: b}}, template: {spec: {nodeSelector: {z: q, c: d}, containers: [{name: m, image: i}, {name: o, image: j}]}}}, status: {desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3, updatedNumberScheduled: 2, numberAvailable: 1}}',
    'a | 5 | 4 | 3 | 2 | 1 | c=d,z=q | 10m | m,o | i,j | a=b',
  ],
  [
    'deployments.apps',
    '{spec: {replicas: 5, selector: {matchLabels: {app: web}, matchExpressions: [{key: app, operator: In, values: [web]}]}, template: {spec: {containers: [{name: main, image: i}]}}}, status: {replicas: 4, readyReplicas: 3, updatedReplicas: 2, availableReplicas: 1}}',
    'a | 3/5 | 2 | 1 | 10m | main | i | app=web,app in (web)',
  ],
  ['deployments.apps', '{}', 'a | 0/0 | 0 | 0 | 10m |  |  | '],
  ['replicasets.apps', '{spec: {replicas: 3}, status: {replicas: 2, readyReplicas: 1}}', 'a | 3 | 2 | 1 | 10m |  |  | <none>'],
  ['replicasets.apps', '{}', 'a | 0 | 0 | 0 | 10m |  |  | <none>'],
  ['statefulsets.apps', '{spec: {replicas: 3}, status: {replicas: 2, readyReplicas: 1}}', 'a | 1/3 | 10m |  | '],
  ['statefulsets.apps', '{}', 'a | 0/0 | 10m |  | '],

  ['horizontalpodautoscalers.autoscaling v2', '{}', 'a | / | <none> | <unset> | 0 | 0 | 10m'],
  [
    'horizontalpodautoscalers.autoscaling v1',
    '{spec: {minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 60, scaleTargetRef: {kind: Deployment, name: d}}, status: {currentReplicas: 2, currentCPUUtilizationPercentage: 30}}',
    'a | Deployment/d | cpu: 30%/60% | 1 | 5 | 2 | 10m',
  ],
  ...Object.entries({
    '{type: Resource, resource: {name: cpu, target: {averageUtilization: 60}}}': 'cpu: <unknown>/60%',
    '{type: Resource, resource: {name: cpu, target: {averageValue: 100m}}}': 'cpu: <unknown>/100m',
    '{type: Resource, resource: {name: cpu, target: {}}}': 'cpu: <unknown>/<auto>',
    '{type: ContainerResource, containerResource: {name: memory, container: c, target: {averageUtilization: 70}}}': 'memory: <unknown>/70%',
    '{type: Pods, pods: {metric: {name: m}, target: {averageValue: 5}}}': '<unknown>/5',
    '{type: Object, object: {metric: {name: m}, target: {value: 6}}}': '<unknown>/6',
    '{type: Object, object: {metric: {name: m}, target: {averageValue: 6}}}': '<unknown>/6 (avg)',
    '{type: External, external: {metric: {name: m}, target: {value: 7}}}': '<unknown>/7',
    '{type: External, external: {metric: {name: m}, target: {averageValue: 7}}}': '<unknown>/7 (avg)',
    '{type: Other}': '<unknown type>',
  }).map(
    ([metric, text]) =>
      ['horizontalpodautoscalers.autoscaling v2', `{spec: {metrics: [${metric}]}}`, `a | / | ${text} | <unset> | 0 | 0 | 10m`] as const,
  ),
  [
    'horizontalpodautoscalers.autoscaling v2',
    '{spec: {metrics: [{external: {target: {averageValue: 7}}}, {object: {target: {value: 6}}}]}, status: {currentMetrics: [{external: {current: {averageValue: 1}}}, {object: {current: {value: 2}}}]}}',
    'a | / | 1/7 (avg), 2/6 | <unset> | 0 | 0 | 10m',
  ],
  [
    'horizontalpodautoscalers.autoscaling v2',
    '{spec: {metrics: [{pods: {target: {averageValue: 7}}}, {resource: {name: cpu, target: {averageValue: 6}}}, {pods: {target: {averageValue: 8}}}]}, status: {currentMetrics: [{pods: {current: {averageValue: 1}}}, {resource: {current: {averageValue: 2}}}]}}',
    'a | / | 1/7, cpu: 2/6 + 1 more... | <unset> | 0 | 0 | 10m',
  ],

  ['cronjobs.batch', '{spec: {schedule: "* * * * *"}}', 'a | * * * * * | <none> | <unset> | 0 | <none> | 10m |  |  | <none>'],
  [
    'cronjobs.batch',
    '{spec: {schedule: "@daily", timeZone: Etc/UTC, suspend: true, jobTemplate: {spec: {selector: {matchLabels: {a: b}}, template: {spec: {containers: [{name: m, image: i}]}}}}}, status: {active: [{}, {}], lastScheduleTime: "2026-01-01T00:09:00Z"}}',
    'a | @daily | Etc/UTC | True | 2 | 60s | 10m | m | i | a=b',
  ],
  ['jobs.batch', '{}', 'a | Running | 0/1 |  | 10m |  |  | <none>'],
  ['jobs.batch', '{spec: {parallelism: 3}, status: {succeeded: 1}}', 'a | Running | 1/1 of 3 |  | 10m |  |  | <none>'],
  ['jobs.batch', '{spec: {parallelism: 1}}', 'a | Running | 0/1 |  | 10m |  |  | <none>'],
  [
    'jobs.batch',
    '{spec: {completions: 4, parallelism: 2}, status: {succeeded: 1, startTime: "2026-01-01T00:08:00Z"}}',
    'a | Running | 1/4 | 2m | 10m |  |  | <none>',
  ],
  [
    'jobs.batch',
    '{spec: {completions: 1}, status: {succeeded: 1, startTime: "2026-01-01T00:08:00Z", completionTime: "2026-01-01T00:08:30Z", conditions: [{type: Complete, status: "True"}]}}',
    'a | Complete | 1/1 | 30s | 10m |  |  | <none>',
  ],
  ['jobs.batch', '{status: {conditions: [{type: Failed, status: "True"}]}}', 'a | Failed | 0/1 |  | 10m |  |  | <none>'],
  ['jobs.batch', '{status: {conditions: [{type: Failed, status: "False"}]}}', 'a | Running | 0/1 |  | 10m |  |  | <none>'],
  ['jobs.batch', '{status: {conditions: [{type: Suspended, status: "True"}]}}', 'a | Suspended | 0/1 |  | 10m |  |  | <none>'],
  ['jobs.batch', '{status: {conditions: [{type: FailureTarget, status: "True"}]}}', 'a | FailureTarget | 0/1 |  | 10m |  |  | <none>'],
  [
    'jobs.batch',
    '{status: {conditions: [{type: SuccessCriteriaMet, status: "True"}]}}',
    'a | SuccessCriteriaMet | 0/1 |  | 10m |  |  | <none>',
  ],
  [
    'jobs.batch',
    '{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {conditions: [{type: Suspended, status: "True"}]}}',
    'a | Terminating | 0/1 |  | 10m |  |  | <none>',
  ],

  ['certificatesigningrequests.certificates.k8s.io', '{}', 'a | 10m | <none> |  | <none> | Pending'],
  [
    'certificatesigningrequests.certificates.k8s.io',
    '{spec: {signerName: s.example/x, username: u, expirationSeconds: 3600}, status: {certificate: YQ==, conditions: [{type: Approved}]}}',
    'a | 10m | s.example/x | u | 60m | Approved,Issued',
  ],
  [
    'certificatesigningrequests.certificates.k8s.io',
    '{status: {conditions: [{type: Approved}, {type: Failed}]}}',
    'a | 10m | <none> |  | <none> | Approved,Failed',
  ],
  ['certificatesigningrequests.certificates.k8s.io', '{status: {conditions: [{type: Denied}]}}', 'a | 10m | <none> |  | <none> | Denied'],

  ['leases.coordination.k8s.io', '{}', 'a |  | 10m'],
  ['leases.coordination.k8s.io', '{spec: {holderIdentity: h}}', 'a | h | 10m'],

  ['componentstatuses', '{}', 'a | Unknown |  | '],
  [
    'componentstatuses',
    '{conditions: [{type: Other, status: "False"}, {type: Healthy, status: "True", message: ok, error: none}]}',
    'a | Healthy | ok | none',
  ],
  ['componentstatuses', '{conditions: [{type: Healthy, status: "False", error: e}]}', 'a | Unhealthy |  | e'],
  ['configmaps', '{}', 'a | 0 | 10m'],
  ['configmaps', '{data: {x: "1", z: "2"}, binaryData: {w: YQ==}}', 'a | 3 | 10m'],
  ['endpoints', '{}', 'a | <none> | 10m'],
  ['endpoints', '{subsets: [{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]}]}', 'a | 10.0.0.1,10.0.0.2 | 10m'],
  [
    'endpoints',
    '{subsets: [{addresses: [{ip: 10.0.0.1}, {ip: "fd00::1"}], ports: [{port: 80}, {port: 81}]}]}',
    'a | 10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 1 more... | 10m',
  ],
  ['endpoints', '{subsets: [{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}, {ip: 10.0.0.3}]}]}', 'a | 10.0.0.1,10.0.0.2,10.0.0.3 | 10m'],
  ['events', '{}', '<unknown> |  |  |  |  |  |  | <unknown> | 1 | a'],
  [
    'events',
    '{involvedObject: {kind: Pod, name: p, fieldPath: "spec.containers{main}"}, reason: Started, message: " m\n", type: Normal, count: 2, firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:09:00Z", source: {component: kubelet, host: n1}}',
    '60s | Normal | Started | pod/p | spec.containers{main} | kubelet, n1 | m | 10m | 2 | a',
  ],
  [
    'events',
    '{involvedObject: {kind: Pod}, eventTime: "2026-01-01T00:01:00Z", series: {count: 3, lastObservedTime: "2026-01-01T00:08:00Z"}, count: 5, reportingComponent: c, reportingInstance: i}',
    '2m |  |  | pod |  | c, i |  | 9m | 3 | a',
  ],
  ['events', '{eventTime: "2026-01-01T00:01:00Z", source: {component: c}}', '9m |  |  |  |  | c |  | 9m | 1 | a'],
  [
    'events.events.k8s.io',
    '{eventTime: "2026-01-01T00:00:00Z", reportingController: c, reportingInstance: i, reason: R, regarding: {kind: Pod, name: p}, note: t, type: Warning, series: {count: 3, lastObservedTime: "2026-01-01T00:09:00Z"}}',
    '60s | Warning | R | pod/p |  | c, i | t | 10m | 3 | a',
  ],
  [
    'events.events.k8s.io',
    '{deprecatedFirstTimestamp: "2026-01-01T00:00:00Z", deprecatedLastTimestamp: "2026-01-01T00:09:00Z", deprecatedCount: 4, deprecatedSource: {component: k, host: h}}',
    '60s |  |  |  |  | k, h |  | 10m | 4 | a',
  ],
  ['namespaces', '{status: {phase: Active}}', 'a | Active | 10m'],
  ['nodes', '{}', 'a | Unknown | <none> | 10m |  | <none> | <none> | <unknown> | <unknown> | <unknown>'],
  [
    'nodes',
    '{metadata: {labels: {node-role.kubernetes.io/worker: "", node-role.kubernetes.io/control-plane: "", node-role.kubernetes.io/: x, kubernetes.io/role: extra, disk: ssd}}, spec: {unschedulable: true}, status: {conditions: [{type: MemoryPressure, status: "False"}, {type: Ready, status: "True"}], addresses: [{type: Hostname, address: h}, {type: InternalIP, address: 10.0.0.9}, {type: ExternalIP, address: 192.0.2.9}], nodeInfo: {kubeletVersion: v1.36.3, osImage: Linux, kernelVersion: "6.1", architecture: amd64, containerRuntimeVersion: containerd://2}}}',
    'a | Ready,SchedulingDisabled | control-plane,extra,worker | 10m | v1.36.3 | 10.0.0.9 | 192.0.2.9 | Linux | 6.1 (amd64) | containerd://2',
  ],
  [
    'nodes',
    '{metadata: {labels: {kubernetes.io/role: ""}}, status: {conditions: [{type: Ready, status: Unknown}], nodeInfo: {architecture: amd64}}}',
    'a | NotReady | <none> | 10m |  | <none> | <none> | <unknown> | <unknown> | <unknown>',
  ],
  [
    'nodes',
    '{status: {nodeInfo: {kernelVersion: "6.1"}}}',
    'a | Unknown | <none> | 10m |  | <none> | <none> | <unknown> | 6.1 | <unknown>',
  ],
  ['persistentvolumeclaims', '{}', 'a |  |  |  |  |  | <unset> | 10m | <unset>'],
  [
    'persistentvolumeclaims',
    '{spec: {volumeName: v, storageClassName: fast, volumeMode: Block, volumeAttributesClassName: gold}, status: {phase: Bound, capacity: {storage: 1Gi}, accessModes: [ReadWriteOncePod, ReadWriteMany, ReadOnlyMany, ReadWriteOnce]}}',
    'a | Bound | v | 1Gi | RWO,ROX,RWX,RWOP | fast | gold | 10m | Block',
  ],
  [
    'persistentvolumeclaims',
    '{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z", annotations: {volume.beta.kubernetes.io/storage-class: old}}, spec: {volumeName: v, storageClassName: fast}, status: {phase: Bound}}',
    'a | Terminating | v | 0 |  | old | <unset> | 10m | <unset>',
  ],
  ['persistentvolumes', '{}', 'a | 0 |  |  |  |  |  | <unset> |  | 10m | <unset>'],
  [
    'persistentvolumes',
    '{spec: {capacity: {storage: 10Gi}, accessModes: [ReadWriteMany, ReadOnlyMany], volumeMode: Filesystem, persistentVolumeReclaimPolicy: Retain, storageClassName: fast, volumeAttributesClassName: gold, claimRef: {name: c, namespace: x}}, status: {phase: Failed, reason: R}}',
    'a | 10Gi | ROX,RWX | Retain | Failed | x/c | fast | gold | R | 10m | Filesystem',
  ],
  [
    'persistentvolumes',
    '{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {phase: Bound}}',
    'a | 0 |  |  | Terminating |  |  | <unset> |  | 10m | <unset>',
  ],
  ['podtemplates', '{template: {metadata: {labels: {a: b}}, spec: {containers: [{name: m, image: i}]}}}', 'a | m | i | a=b'],
  [
    'replicationcontrollers',
    '{spec: {replicas: 3, selector: {a: b}, template: {spec: {containers: [{name: m, image: i}]}}}, status: {replicas: 2, readyReplicas: 1}}',
    'a | 3 | 2 | 1 | 10m | m | i | a=b',
  ],
  ['resourcequotas', '{spec: {hard: {pods: 4}}}', 'a |  |  | 10m'],
  [
    'resourcequotas',
    '{status: {hard: {pods: 4, limits.cpu: 2, cpu: 1, limits.memory: 1Gi}, used: {pods: 3, limits.cpu: 1}}}',
    'a | cpu: 0/1, pods: 3/4 | limits.cpu: 1/2, limits.memory: 0/1Gi | 10m',
  ],
  ['secrets', '{type: Opaque, data: {x: YQ==, z: YQ==}}', 'a | Opaque | 2 | 10m'],
  ['secrets', '{}', 'a |  | 0 | 10m'],
  [
    'services',
    '{spec: {type: ClusterIP, clusterIPs: [10.0.0.1, "fd00::1"], ports: [{port: 80, protocol: TCP}, {port: 53, protocol: UDP}], selector: {z: q, a: b}}}',
    'a | ClusterIP | 10.0.0.1 | <none> | 80/TCP,53/UDP | 10m | a=b,z=q',
  ],
  [
    'services',
    '{spec: {type: NodePort, clusterIPs: [10.0.0.1], externalIPs: [192.0.2.1, 192.0.2.2], ports: [{port: 80, nodePort: 30000, protocol: TCP}]}}',
    'a | NodePort | 10.0.0.1 | 192.0.2.1,192.0.2.2 | 80:30000/TCP | 10m | <none>',
  ],
  ['services', '{spec: {type: LoadBalancer, clusterIPs: [10.0.0.1]}}', 'a | LoadBalancer | 10.0.0.1 | <pending> | <none> | 10m | <none>'],
  [
    'services',
    '{spec: {type: LoadBalancer, clusterIPs: [10.0.0.1], externalIPs: [192.0.2.9]}, status: {loadBalancer: {ingress: [{hostname: h.example}, {ip: 192.0.2.1}, {ip: 192.0.2.1}, {}]}}}',
    'a | LoadBalancer | 10.0.0.1 | 192.0.2.1,h.example,192.0.2.9 | <none> | 10m | <none>',
  ],
  [
    'services',
    '{spec: {type: ExternalName, externalName: db.example.com}}',
    'a | ExternalName | <none> | db.example.com | <none> | 10m | <none>',
  ],

  ['endpointslices.discovery.k8s.io', '{addressType: IPv4}', 'a | IPv4 | <unset> | <unset> | 10m'],
  [
    'endpointslices.discovery.k8s.io',
    '{addressType: IPv6, ports: [{port: 80}, {name: p}, {}], endpoints: [{addresses: ["fd00::1", "fd00::2"]}, {addresses: ["fd00::3"]}]}',
    'a | IPv6 | 80,p,* | fd00::1,fd00::2,fd00::3 | 10m',
  ],
  [
    'endpointslices.discovery.k8s.io',
    '{addressType: IPv4, ports: [{port: 1}, {port: 2}, {port: 3}, {port: 4}, {port: 5}], endpoints: [{addresses: [10.0.0.1]}, {addresses: [10.0.0.2]}, {addresses: [10.0.0.3]}, {addresses: [10.0.0.4]}]}',
    'a | IPv4 | 1,2,3 + 2 more... | 10.0.0.1,10.0.0.2,10.0.0.3 + 1 more... | 10m',
  ],

  ['flowschemas.flowcontrol.apiserver.k8s.io', '{}', 'a |  | 0 | <none> | 10m | ?'],
  [
    'flowschemas.flowcontrol.apiserver.k8s.io',
    '{spec: {priorityLevelConfiguration: {name: p}, matchingPrecedence: 7, distinguisherMethod: {type: ByUser}}, status: {conditions: [{type: Other, status: "True"}, {type: Dangling, status: "False"}]}}',
    'a | p | 7 | ByUser | 10m | False',
  ],
  [
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    '{spec: {type: Limited}}',
    'a | Limited | <none> | <none> | <none> | <none> | 10m',
  ],
  [
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    '{spec: {type: Limited, limited: {nominalConcurrencyShares: 5, limitResponse: {type: Queue, queuing: {queues: 16, handSize: 4, queueLengthLimit: 10}}}}}',
    'a | Limited | 5 | 16 | 4 | 10 | 10m',
  ],
  [
    'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
    '{spec: {type: Exempt, exempt: {nominalConcurrencyShares: 0}}}',
    'a | Exempt | <none> | <none> | <none> | <none> | 10m',
  ],

  ['ingressclasses.networking.k8s.io', '{spec: {controller: example.com/c}}', 'a | example.com/c | <none> | 10m'],
  [
    'ingressclasses.networking.k8s.io',
    '{spec: {controller: example.com/c, parameters: {apiGroup: x.example.com, kind: P, name: p}}}',
    'a | example.com/c | P.x.example.com/p | 10m',
  ],
  [
    'ingressclasses.networking.k8s.io',
    '{spec: {controller: example.com/c, parameters: {kind: ConfigMap, name: p}}}',
    'a | example.com/c | ConfigMap/p | 10m',
  ],
  ['ingresses.networking.k8s.io', '{}', 'a | <none> | * |  | 80 | 10m'],
  [
    'ingresses.networking.k8s.io',
    '{metadata: {annotations: {kubernetes.io/ingress.class: old}}, spec: {rules: [{}, {host: ""}], tls: []}}',
    'a | old | * |  | 80 | 10m',
  ],
  [
    'ingresses.networking.k8s.io',
    '{spec: {ingressClassName: c, rules: [{host: h1}, {}, {host: h2}, {host: h3}], tls: [{}]}, status: {loadBalancer: {ingress: [{hostname: h.example}, {ip: 192.0.2.1}, {ip: 192.0.2.1}]}}}',
    'a | c | h1,h2,h3 | 192.0.2.1,h.example | 80, 443 | 10m',
  ],
  [
    'ingresses.networking.k8s.io',
    '{spec: {rules: [{host: h1}, {host: h2}, {host: h3}, {host: h4}, {host: h5}]}}',
    'a | <none> | h1,h2,h3 + 2 more... |  | 80 | 10m',
  ],
  ['ipaddresses.networking.k8s.io', '{spec: {parentRef: {resource: services, name: s, namespace: x}}}', 'a | services/x/s | 10m'],
  ['ipaddresses.networking.k8s.io', '{spec: {parentRef: {group: g.example, resource: things, name: s}}}', 'a | things.g.example/s | 10m'],
  [
    'networkpolicies.networking.k8s.io',
    '{spec: {podSelector: {matchExpressions: [{key: b, operator: NotIn, values: [d, c]}, {key: a, operator: Exists}, {key: e, operator: DoesNotExist}]}}}',
    'a | a,b notin (c,d),!e | 10m',
  ],
  ['servicecidrs.networking.k8s.io', '{spec: {cidrs: [10.0.0.0/8, "fd00::/64"]}}', 'a | 10.0.0.0/8,fd00::/64 | 10m'],

  ['runtimeclasses.node.k8s.io', '{handler: runsc}', 'a | runsc | 10m'],
  ['poddisruptionbudgets.policy', '{}', 'a | N/A | N/A | 0 | 10m'],
  ['poddisruptionbudgets.policy', '{spec: {minAvailable: 50%}, status: {disruptionsAllowed: 2}}', 'a | 50% | N/A | 2 | 10m'],
  ['poddisruptionbudgets.policy', '{spec: {maxUnavailable: 0}}', 'a | N/A | 0 | 0 | 10m'],

  [
    'rolebindings.rbac.authorization.k8s.io',
    '{subjects: [{kind: User, name: u}, {kind: ServiceAccount, name: s, namespace: x}, {kind: Group, name: g}, {kind: User, name: v}], roleRef: {kind: ClusterRole, name: view}}',
    'a | ClusterRole/view | 10m | u, v | g | x/s',
  ],
  ['clusterrolebindings.rbac.authorization.k8s.io', '{roleRef: {kind: ClusterRole, name: view}}', 'a | ClusterRole/view | 10m |  |  | '],

  ['resourceclaims.resource.k8s.io', '{}', 'a | pending | 10m'],
  ['resourceclaims.resource.k8s.io', '{status: {allocation: {}}}', 'a | allocated | 10m'],
  ['resourceclaims.resource.k8s.io', '{status: {allocation: {}, reservedFor: []}}', 'a | allocated | 10m'],
  ['resourceclaims.resource.k8s.io', '{status: {allocation: {}, reservedFor: [{}]}}', 'a | allocated,reserved | 10m'],
  ['resourceclaims.resource.k8s.io', '{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}}', 'a | deleted | 10m'],
  [
    'resourceclaims.resource.k8s.io',
    '{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {allocation: {}, reservedFor: [{}]}}',
    'a | deleted,allocated,reserved | 10m',
  ],
  ['resourceslices.resource.k8s.io', '{spec: {driver: g.example, nodeName: n1, pool: {name: p}}}', 'a | n1 | g.example | p | 10m'],

  ['priorityclasses.scheduling.k8s.io', '{value: 5, preemptionPolicy: Never}', 'a | 5 | false | 10m | Never'],
  ['priorityclasses.scheduling.k8s.io', '{globalDefault: true}', 'a | 0 | true | 10m | '],

  ['csidrivers.storage.k8s.io', '{}', 'a | true | false | false | <unset> | false | <none> | 10m'],
  [
    'csidrivers.storage.k8s.io',
    '{spec: {attachRequired: false, podInfoOnMount: true, storageCapacity: true, requiresRepublish: true, tokenRequests: [{audience: x}, {audience: ""}], volumeLifecycleModes: [Ephemeral, Persistent]}}',
    'a | false | true | true | x, | true | Ephemeral,Persistent | 10m',
  ],
  ['csidrivers.storage.k8s.io', '{spec: {tokenRequests: []}}', 'a | true | false | false | <unset> | false | <none> | 10m'],
  ['csinodes.storage.k8s.io', '{spec: {drivers: [{}, {}]}}', 'a | 2 | 10m'],
  [
    'storageclasses.storage.k8s.io',
    '{provisioner: csi.example, reclaimPolicy: Retain, allowVolumeExpansion: true, volumeBindingMode: WaitForFirstConsumer}',
    'a | csi.example | Retain | WaitForFirstConsumer | true | 10m',
  ],
  [
    'storageclasses.storage.k8s.io',
    '{metadata: {annotations: {storageclass.kubernetes.io/is-default-class: "true"}}, provisioner: csi.example}',
    'a (default) | csi.example | Delete | Immediate | false | 10m',
  ],
  [
    'volumeattachments.storage.k8s.io',
    '{spec: {attacher: csi.example, nodeName: m, source: {persistentVolumeName: v}}, status: {attached: true}}',
    'a | csi.example | v | m | true | 10m',
  ],
  ['volumeattachments.storage.k8s.io', '{}', 'a |  |  |  | false | 10m'],
  ['volumeattributesclasses.storage.k8s.io', '{driverName: csi.example}', 'a | csi.example | 10m'],
]
for (const [resource, text, cells] of CELLS)
  test(`cells of ${resource}: ${text}`, () => {
    const { value } = decodeYaml(text)
    const given = isObject(value) ? value : {}
    const { apiVersion, columns } = tables.get(resource) ?? assert.fail(`${resource} is built in`)
    const metadata = { name: 'a', creationTimestamp: CREATED, ...(isObject(given.metadata) ? given.metadata : {}) }
    const object = asKubeObject({ apiVersion, kind: 'Any', ...given, metadata })
    assert.equal(columns.map((column) => column.cell(object, NOW)).join(' | '), cells)
  })
