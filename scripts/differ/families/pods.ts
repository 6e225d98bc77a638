import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import { type Subject, withOptions } from '../subject.ts'
import { deleteOptions } from './reads.ts'

const PODS = '/api/v1/namespaces/{ns}/pods'

/** A pod lives on a node that is not there: bound, resized, debugged, reported on, asked for its logs and streams, deleted. */
export function pods({ draw }: Subject): Step[] {
  const metadata = { name: 'a', labels: { app: 'web' }, ...draw.members({ finalizers: [['a.io/b']] }, 0.1) }
  return [
    { do: 'POST', path: PODS, body: { metadata, spec: podSpec(draw) } },
    ...draw.several(8, 12, () => draw.pick(STEPS)(draw)),
    { do: 'GET', path: `${PODS}/a` },
  ]
}

const podSpec = (draw: Draw): JsonObject => ({
  containers: [container(draw, 'main'), ...(draw.chance(0.3) ? [container(draw, 'side')] : [])],
  ...(draw.chance(0.25) && { initContainers: [{ ...container(draw, 'init'), ...draw.members({ restartPolicy: ['Always'] }, 0.5) }] }),
  ...draw.members(SPEC, 0.15),
})

const container = (draw: Draw, name: string): JsonObject => ({ name, image: draw.pick(['x', 'y:1']), ...draw.members(CONTAINER, 0.2) })

const RESOURCES: readonly Json[] = [
  { requests: { cpu: '100m' } },
  { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '100m', memory: '64Mi' } },
  { limits: { memory: '1Gi' } },
  { requests: { cpu: '2' }, limits: { cpu: '1' } },
  { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } },
  {},
]

const CONTAINER: Readonly<Record<string, readonly Json[]>> = {
  resources: [...RESOURCES, ...RESOURCES.slice(0, 2)],
  resizePolicy: [[{ resourceName: 'cpu', restartPolicy: 'NotRequired' }], [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }]],
  securityContext: [{ privileged: true }, { runAsUser: 0 }, { runAsNonRoot: true, allowPrivilegeEscalation: false }],
  stdin: [true],
  tty: [true],
  command: [['sh']],
  ports: [[{ containerPort: 80 }]],
  terminationMessagePolicy: ['FallbackToLogsOnError'],
  imagePullPolicy: ['Never'],
}

const SPEC: Readonly<Record<string, readonly Json[]>> = {
  nodeName: ['n', 'n'],
  schedulingGates: [[{ name: 'a.io/g' }]],
  restartPolicy: ['Never', 'OnFailure'],
  terminationGracePeriodSeconds: [0, 5],
  activeDeadlineSeconds: [10],
  tolerations: [[{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }]],
  shareProcessNamespace: [true],
  resources: [{ requests: { cpu: '500m' } }],
  os: [{ name: 'linux' }, { name: 'windows' }],
  nodeSelector: [{ a: 'b' }],
  automountServiceAccountToken: [false],
}

const merge = (path: string, body: JsonObject): Step => ({
  do: 'PATCH',
  path,
  headers: { 'content-type': 'application/strategic-merge-patch+json' },
  body,
})

const STATUS: Readonly<Record<string, readonly Json[]>> = {
  phase: ['Running', 'Succeeded', 'Failed', 'x'],
  reason: ['R'],
  message: ['m'],
  podIP: ['127.0.0.1', 'x'],
  podIPs: [[{ ip: '127.0.0.1' }], [{ ip: '127.0.0.1' }, { ip: 'fd00::1' }], [{ ip: '127.0.0.1' }, { ip: '127.0.0.2' }]],
  hostIP: ['192.0.2.1'],
  hostIPs: [[{ ip: '192.0.2.1' }]],
  nominatedNodeName: ['n', ''],
  qosClass: ['Guaranteed', 'Burstable'],
  startTime: ['2026-01-02T03:04:05Z'],
  observedGeneration: [1, 2, -1],
  resize: ['Proposed'],
  conditions: [
    [{ type: 'Ready', status: 'True' }],
    [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
    [{ type: 'PodResizePending', status: 'True', reason: 'Deferred', observedGeneration: 1 }],
    [{ type: 'a b', status: 'x' }],
  ],
  containerStatuses: [
    [{ name: 'main', image: 'x', imageID: '', ready: true, restartCount: 1, state: { running: { startedAt: '2026-01-02T03:04:05Z' } } }],
    [{ name: 'main', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 1, reason: 'Error' } } }],
    [{ name: 'other', image: 'x', imageID: '', ready: false, restartCount: 0 }],
    [
      {
        name: 'main',
        image: 'x',
        imageID: '',
        ready: true,
        restartCount: 0,
        allocatedResources: { cpu: '1' },
        resources: { requests: { cpu: '1' } },
      },
    ],
  ],
}

const DEBUG: readonly [JsonObject, ...JsonObject[]] = [
  { name: 'debug', image: 'busybox' },
  { name: 'debug', image: 'busybox', targetContainerName: 'main', stdin: true },
  { name: 'debug', image: 'other' },
  { name: 'main', image: 'busybox' },
  { name: 'late', image: 'busybox', targetContainerName: 'nothing' },
  { name: 'late', image: 'busybox', ports: [{ containerPort: 1 }] },
  { name: 'late', image: 'busybox', resources: { requests: { cpu: '1' } } },
  { name: 'late', image: 'busybox', livenessProbe: { exec: { command: ['a'] } } },
  { name: 'late' },
]

const LOG = {
  container: ['main', 'side', 'init', 'debug', 'nothing'],
  follow: ['true', 'x'],
  previous: ['true'],
  tailLines: ['1', '-1', 'x'],
  limitBytes: ['1', '0'],
  sinceSeconds: ['5', '0', '-5'],
  sinceTime: ['2026-01-02T03:04:05Z', 'x'],
  timestamps: ['true'],
  stream: ['Stdout', 'All', 'x'],
  insecureSkipTLSVerifyBackend: ['true'],
}
const EXEC = {
  container: ['main', 'nothing'],
  command: ['a', ''],
  stdin: ['true', 'x'],
  stdout: ['true', 'false'],
  stderr: ['true'],
  tty: ['true'],
}

const STEPS: readonly [(draw: Draw) => Step, ...((draw: Draw) => Step)[]] = [
  (draw) => merge(`${PODS}/a/ephemeralcontainers`, { spec: { ephemeralContainers: draw.several(1, 2, () => draw.pick(DEBUG)) } }),
  (draw) => ({
    do: 'PUT',
    path: `${PODS}/a/ephemeralcontainers`,
    body: { metadata: { name: 'a' }, spec: { ...podSpec(draw), ephemeralContainers: [draw.pick(DEBUG)] } },
  }),
  (draw) => merge(`${PODS}/a/resize`, { spec: { containers: [container(draw, draw.pick(['main', 'main', 'side', 'new']))] } }),
  (draw) => merge(`${PODS}/a/resize`, { spec: { containers: [{ name: 'main', resources: draw.pick(RESOURCES) ?? {} }] } }),
  (draw) =>
    merge(`${PODS}/a/resize`, {
      spec: { initContainers: [{ name: 'init', resources: draw.pick(RESOURCES) ?? {} }], ...draw.members(SPEC, 0.05) },
    }),
  (draw) => merge(`${PODS}/a/status`, { status: draw.members(STATUS, 0.2) }),
  (draw) => merge(`${PODS}/a/status`, { status: draw.members(STATUS, 0.2), metadata: { labels: { b: 'c' } } }),
  (draw) => merge(`${PODS}/a`, { spec: { ...draw.members(SPEC, 0.15), containers: [container(draw, 'main')] } }),
  (draw) =>
    merge(`${PODS}/a`, {
      spec: draw.members(SPEC, 0.2),
      metadata: draw.members({ labels: [{ app: null }], finalizers: [['a.io/b'], []] }, 0.3),
    }),
  (draw) => ({
    do: 'POST',
    path: `${PODS}/a/binding`,
    body: { metadata: { name: 'a' }, target: { kind: 'Node', name: draw.pick(['n', 'o']) } },
  }),
  (draw) => ({ do: 'GET', path: withOptions(draw, `${PODS}/a/log`, LOG, 0.2) }),
  (draw) => ({ do: draw.pick(['GET', 'POST']), path: withOptions(draw, `${PODS}/a/${draw.pick(['exec', 'attach'])}`, EXEC, 0.4) }),
  (draw) => ({ do: draw.pick(['GET', 'POST']), path: withOptions(draw, `${PODS}/a/portforward`, { ports: ['80', '0', 'x'] }, 0.5) }),
  (draw) => ({
    do: draw.pick(['GET', 'POST', 'DELETE']),
    path: `${PODS}/${draw.pick(['a', 'a:80', 'https:a:443', 'a:x:y'])}/proxy${draw.pick(['', '/', '/x'])}`,
  }),
  (draw) => ({
    do: 'GET',
    path: `${PODS}${draw.pick(['?fieldSelector=status.phase=Running', '?fieldSelector=spec.nodeName=n', '?fieldSelector=spec.restartPolicy!=Never', '/a'])}`,
  }),
  (draw) => ({
    do: 'GET',
    path: PODS,
    headers: { accept: draw.pick(['application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json']) },
  }),
  (draw) => ({
    do: 'DELETE',
    path: withOptions(draw, `${PODS}/a`, { gracePeriodSeconds: ['0', '1', '30'], dryRun: ['All'] }, 0.5),
    ...(draw.chance(0.3) && { body: deleteOptions(draw) }),
  }),
  (draw) => ({
    do: 'POST',
    path: `${PODS}/a/eviction`,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'a' },
      ...draw.members({ deleteOptions: [{ dryRun: ['All'] }, { gracePeriodSeconds: 3 }] }, 0.5),
    },
  }),
]
