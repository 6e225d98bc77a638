import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HorizontalPodAutoscaler } from '../../resources/types/autoscaling.ts'
import type {
  ContainerStatus,
  Event,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  PodStatus,
  Service,
  ServiceSpec,
} from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import { diagnoseAutoscaler } from './autoscaler-findings.ts'
import { diagnoseClaim } from './claim-findings.ts'
import { diagnosisText, type Finding } from './finding.ts'
import { podFindings, simulatedFindings } from './pod-findings.ts'
import { diagnoseService } from './service-findings.ts'
import { diagnoseWorkload, type Workload } from './workload-findings.ts'

const pod = (status: PodStatus, { spec = {}, metadata = {} }: { spec?: Partial<PodSpec>; metadata?: Pod['metadata'] } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', ...metadata },
  spec: { nodeName: 'n', containers: [{ name: 'main', image: 'i' }], ...spec },
  status,
})
const container = (more: Partial<ContainerStatus>): ContainerStatus => ({
  name: 'main',
  ready: false,
  restartCount: 0,
  image: 'i',
  imageID: '',
  ...more,
})
const inContainer = (more: Partial<ContainerStatus>) => pod({ phase: 'Running', containerStatuses: [container(more)] })
const warning = (reason: string, message: string, lastTimestamp = '2026-01-01T00:00:00Z'): Event => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: {},
  involvedObject: {},
  type: 'Warning',
  reason,
  message,
  lastTimestamp,
})
const texts = (findings: readonly Finding[]) => findings.map(({ message }) => message)

const PODS: readonly (readonly [rule: string, pod: Pod, events: readonly Event[], messages: readonly string[]])[] = [
  ['ready', inContainer({ ready: true, state: { running: {} } }), [], []],
  [
    'an image',
    inContainer({ state: { waiting: { reason: 'ErrImagePull', message: 'no such tag' } } }),
    [],
    ['container main: ErrImagePull: no such tag'],
  ],
  [
    'a crash loop',
    inContainer({
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', message: 'full\n' } },
    }),
    [],
    ['container main: CrashLoopBackOff after 4 restarts; it last ended with exit code 137 (OOMKilled): full'],
  ],
  [
    'a missing config map',
    inContainer({ state: { waiting: { reason: 'CreateContainerConfigError', message: 'configmap "c" not found' } } }),
    [],
    ['container main: CreateContainerConfigError: configmap "c" not found'],
  ],
  ['a container that begins', inContainer({ state: { waiting: { reason: 'ContainerCreating' } } }), [], []],
  ['a volume', inContainer({ state: { waiting: { reason: 'ContainerCreating' } } }), [warning('FailedMount', 'no secret')], ['no secret']],
  ['a volume that came later', inContainer({ ready: true, state: { running: {} } }), [warning('FailedMount', 'no secret')], []],
  ['an exit code', inContainer({ state: { terminated: { exitCode: 3, reason: 'Error' } } }), [], ['container main ended with exit code 3']],
  [
    'a probe, its last message',
    inContainer({ state: { running: {} } }),
    [warning('Unhealthy', 'new', '2026-01-02T00:00:00Z'), warning('Unhealthy', 'old')],
    ['container main runs, and is not ready: new'],
  ],
  [
    'a readiness gate',
    pod({ phase: 'Running' }, { spec: { readinessGates: [{ conditionType: 'example.com/up' }] } }),
    [],
    ['its readiness gate example.com/up is not True'],
  ],
  ['an eviction', pod({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }), [], ['it failed: Evicted: low on memory']],
  [
    'finalizers',
    pod({}, { metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] } }),
    [],
    ['it is being deleted, and waits for its finalizers: a/b'],
  ],
  [
    'a node that cannot end it',
    pod({}, { metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } }),
    [warning('FailedKillPod', 'the network plugin failed')],
    ['it is being deleted, with a grace period of 30 s', 'the network plugin failed'],
  ],
  [
    'a node whose network is not ready',
    inContainer({ state: { waiting: { reason: 'ContainerCreating' } } }),
    [warning('NetworkNotReady', 'cni plugin not initialized')],
    ['cni plugin not initialized'],
  ],
  [
    'a silent node',
    pod(
      {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False' }],
        containerStatuses: [container({ ready: true, state: { running: {} } })],
      },
      { spec: { nodeName: 'worker-1' } },
    ),
    [warning('NodeNotReady', 'Node is not ready')],
    ['its node worker-1 is not ready'],
  ],
]
for (const [rule, of, events, messages] of PODS) test(`a pod: ${rule}`, () => assert.deepEqual(texts(podFindings(of, events)), messages))

const NONE = { pods: [], events: [], eventsOf: () => [] }
const deployment = (more: Partial<Workload>): Workload => ({
  kind: 'Deployment',
  metadata: { generation: 1 },
  spec: { replicas: 3 },
  status: { observedGeneration: 1 },
  ...more,
})
const condition = (type: string, status: string, reason: string, message: string) => ({
  status: { observedGeneration: 1, conditions: [{ type, status, reason, message }] },
})

const WORKLOADS: readonly (readonly [rule: string, workload: Workload, messages: readonly string[]])[] = [
  ['no controller', deployment({ metadata: { generation: 2 } }), ['no controller has seen its last change']],
  ['paused', deployment({ spec: { paused: true } }), ['it is paused: a change of its template waits']],
  ['no replicas', deployment({ spec: { replicas: 0 } }), ['spec.replicas is 0']],
  ['quota', deployment(condition('ReplicaFailure', 'True', 'FailedCreate', 'exceeded quota')), ['FailedCreate: exceeded quota']],
  [
    'a deadline',
    deployment(condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'timed out')),
    ['ProgressDeadlineExceeded: timed out'],
  ],
  ['progress', deployment(condition('Progressing', 'True', 'NewReplicaSetAvailable', 'good')), ['it has no pods']],
  [
    'a job that failed',
    { kind: 'Job', metadata: {}, ...condition('Failed', 'True', 'DeadlineExceeded', 'too long') },
    ['DeadlineExceeded: too long'],
  ],
  ['a job that is suspended', { kind: 'Job', metadata: {}, spec: { suspend: true } }, ['it is suspended: no pods are created']],
]
for (const [rule, workload, messages] of WORKLOADS)
  test(`a workload: ${rule}`, () => assert.deepEqual(texts(diagnoseWorkload(workload, NONE).findings), messages))

test('pods with the same trouble are one finding', () => {
  const sick = (name: string) => ({
    ...inContainer({ state: { waiting: { reason: 'ErrImagePull', message: `of ${name}` } } }),
    metadata: { name },
  })
  const waiting = pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: 'no node' }] }, { metadata: { name: 'c' } })
  const { nodeName: _, ...spec } = waiting.spec
  const { findings, summary } = diagnoseWorkload(deployment({}), { ...NONE, pods: [sick('a'), sick('b'), { ...waiting, spec }] })
  assert.equal(summary, '0 of 3 replicas are available')
  assert.deepEqual(texts(findings), ['pod a and 1 more: container main: ErrImagePull: of a', 'pod c: it is not scheduled: no node'])
  assert.equal(findings[1]?.help, 'bowsprit why pod c')
})

const claim = (spec: NonNullable<PersistentVolumeClaim['spec']>, status: PersistentVolumeClaim['status'] = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec,
  status,
})
const storageClass = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'p',
  ...more,
})
const LATE = storageClass('late', { volumeBindingMode: 'WaitForFirstConsumer' })
const user = (nodeName?: string): Pod => {
  const { nodeName: _, ...spec } = pod({}).spec
  return {
    ...pod({}),
    spec: { ...spec, ...(nodeName && { nodeName }), volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
  }
}
const CLAIMS: readonly (readonly [
  rule: string,
  claim: PersistentVolumeClaim,
  pods: readonly Pod[],
  events: readonly Event[],
  messages: readonly string[],
])[] = [
  ['bound', claim({ volumeName: 'v' }, { phase: 'Bound' }), [], [], []],
  ['lost', claim({ volumeName: 'v' }, { phase: 'Lost' }), [], [], ['its volume v does not exist any more']],
  ['no class', claim({}), [], [], ['it has no class, and the cluster has no default one']],
  ['an unknown class', claim({ storageClassName: 'fast' }), [], [], ['there is no storage class fast']],
  ['no class on purpose', claim({ storageClassName: '' }), [], [], ['its class is "": it waits until a volume without a class is created']],
  [
    'it is not used',
    claim({ storageClassName: 'late' }),
    [],
    [],
    ['class late waits for the first pod that uses the claim, and there is none'],
  ],
  ['its pod waits', claim({ storageClassName: 'late' }), [user()], [], ['it waits until pod web is scheduled']],
  ['its provisioner', claim({ storageClassName: 'late' }), [user('n')], [], ['it waits for the provisioner p']],
  ['an error of its provisioner', claim({ storageClassName: 'late' }), [], [warning('ProvisioningFailed', 'disk full')], ['disk full']],
]
for (const [rule, of, pods, events, messages] of CLAIMS)
  test(`a claim: ${rule}`, () => assert.deepEqual(texts(diagnoseClaim(of, { classes: [LATE], pods, events }).findings), messages))

const service = (spec: ServiceSpec): Service => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec })
const labelled = (labels: Record<string, string>, ready: boolean) =>
  pod({ conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] }, { metadata: { name: 'web', labels } })
const slice = (...ready: readonly boolean[]): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {},
  addressType: 'IPv4',
  endpoints: ready.map((is) => ({ addresses: ['10.0.0.1'], conditions: { ready: is } })),
})
const A = { selector: { app: 'a' }, ports: [{ port: 80 }] }
const SERVICES: readonly (readonly [
  rule: string,
  service: Service,
  pods: readonly Pod[],
  slices: readonly EndpointSlice[],
  text: string,
])[] = [
  ['good', service(A), [labelled({ app: 'a' }, true)], [slice(true)], 's: 1 of 1 endpoints are ready'],
  [
    'a wrong selector',
    service(A),
    [labelled({ app: 'b' }, true)],
    [],
    's: 0 of 0 endpoints are ready\n\n- no pod has the labels app=a\n  pods of the namespace have app=b',
  ],
  ['no pods', service(A), [], [], 's: 0 of 0 endpoints are ready\n\n- no pod has the labels app=a\n  the namespace has no pods'],
  [
    'other labels',
    service(A),
    [labelled({ b: 'c' }, true)],
    [],
    's: 0 of 0 endpoints are ready\n\n- no pod has the labels app=a\n  no pod of the namespace has a label app',
  ],
  [
    'pods that are not ready',
    service(A),
    [labelled({ app: 'a' }, false)],
    [slice(false)],
    's: 0 of 1 endpoints are ready\n\n- 1 of 1 pods are not ready: web\n  bowsprit why pod web',
  ],
  [
    'a port by name',
    service({ ...A, ports: [{ port: 80, targetPort: 'http' }] }),
    [labelled({ app: 'a' }, true)],
    [slice(true)],
    's: 1 of 1 endpoints are ready\n\n- no container of its pods has a port named http\n  named ports: none',
  ],
  [
    'no controller',
    service(A),
    [labelled({ app: 'a' }, true)],
    [],
    's: 0 of 0 endpoints are ready\n\n- its pods are ready, but no controller has made endpoints of them',
  ],
  [
    'no selector',
    service({ ports: [{ port: 80 }] }),
    [],
    [],
    's: 0 of 0 endpoints are ready\n\n- it has no selector, and there is no EndpointSlice for it',
  ],
  ['a name', service({ type: 'ExternalName', externalName: 'example.com' }), [], [], 's: another name of example.com'],
]
for (const [rule, of, pods, slices, text] of SERVICES)
  test(`a service: ${rule}`, () => assert.equal(diagnosisText('s', diagnoseService(of, { pods, slices })), text))

test('an autoscaler: conditions that stop it', () => {
  const hpa: HorizontalPodAutoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {},
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  }
  assert.deepEqual(texts(diagnoseAutoscaler(hpa).findings), ['no controller has looked at it yet'])
  const conditions = [
    { type: 'AbleToScale', status: 'True', reason: 'Good', message: '' },
    { type: 'ScalingActive', status: 'False', reason: 'FailedGetResourceMetric', message: 'no metrics' },
    { type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas', message: 'more than the maximum' },
  ] as const
  const { summary, findings } = diagnoseAutoscaler({ ...hpa, status: { currentReplicas: 3, desiredReplicas: 3, conditions } })
  assert.equal(summary, 'Deployment web has 3 replicas, wanted are 3 of 1 to 3')
  assert.deepEqual(texts(findings), ['FailedGetResourceMetric: no metrics', 'TooManyReplicas: more than the maximum'])
})

test('a container in which nothing runs is found by its event', () => {
  const event: Event = {
    ...warning('Simulated', 'there is no program for flyway:11: nothing ran'),
    type: 'Normal',
    involvedObject: { fieldPath: 'spec.containers{main}' },
  }
  assert.deepEqual(texts(simulatedFindings([event, warning('BackOff', 'again')])), [
    'container main: there is no program for flyway:11: nothing ran',
  ])
})
