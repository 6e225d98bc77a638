import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import type { Subject } from '../subject.ts'

const API = '/api/v1/namespaces/{ns}'

/** A limit range and a quota with a status as its controller would begin it; then what they judge is created, changed and deleted. */
export function quotas({ draw }: Subject): Step[] {
  const quota = quotaOf(draw)
  const used = Object.fromEntries(Object.keys(quota.hard as JsonObject).map((name) => [name, '0']))
  const whole = { metadata: { name: 'q' }, spec: quota }
  return [
    ...(draw.chance(0.7)
      ? [{ do: 'POST', path: `${API}/limitranges`, body: { metadata: { name: 'l' }, spec: { limits: limits(draw) } } } as const]
      : []),
    { do: 'POST', path: `${API}/resourcequotas`, body: whole },
    { do: 'PUT', path: `${API}/resourcequotas/q/status`, body: { ...whole, status: { hard: quota.hard, used } } },
    { do: 'SLEEP', path: '', ms: SETTLE_MS, quiet: true },
    ...draw.several(6, 10, () => write(draw)),
    { do: 'GET', path: `${API}/resourcequotas/q` },
  ]
}

/** How long both servers may take to see a quota and a limit range. */
const SETTLE_MS = 300

function quotaOf(draw: Draw): JsonObject {
  const hard = draw.members(HARD, 0.2)
  return {
    hard: Object.keys(hard).length > 0 ? hard : { pods: '1' },
    ...draw.members({ scopes: SCOPES }, 0.15),
    ...(draw.chance(0.15) && { scopeSelector: { matchExpressions: [draw.pick(SELECTORS)] } }),
  }
}

const SCOPES: readonly Json[] = [
  ['BestEffort'],
  ['NotBestEffort'],
  ['Terminating'],
  ['NotTerminating'],
  ['PriorityClass'],
  ['CrossNamespacePodAffinity'],
]
const SELECTORS: readonly [Json, ...Json[]] = [
  { scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] },
  { scopeName: 'PriorityClass', operator: 'Exists' },
  { scopeName: 'BestEffort', operator: 'Exists' },
  { scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' },
  { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] },
]

const HARD: Readonly<Record<string, readonly Json[]>> = {
  pods: ['1', '3'],
  cpu: ['1', '100m'],
  'requests.cpu': ['1', '500m'],
  'limits.cpu': ['2', '1'],
  memory: ['1Gi'],
  'requests.memory': ['100Mi', '1Gi'],
  'limits.memory': ['1Gi'],
  'requests.ephemeral-storage': ['1Gi'],
  'requests.example.com/gpu': ['1'],
  configmaps: ['1', '2'],
  secrets: ['0'],
  services: ['1', '2'],
  'services.nodeports': ['1', '0'],
  'services.loadbalancers': ['0', '1'],
  persistentvolumeclaims: ['1'],
  'requests.storage': ['1Gi', '3Gi'],
  'gold.storageclass.storage.k8s.io/requests.storage': ['1Gi'],
  'gold.storageclass.storage.k8s.io/persistentvolumeclaims': ['0', '1'],
  'count/configmaps': ['1'],
  'count/deployments.apps': ['1'],
  'count/pods': ['2'],
  'count/widgets.differ.bowsprit.dev': ['1'],
  'count/resourceclaims.resource.k8s.io': ['1'],
  replicationcontrollers: ['1'],
}

const limits = (draw: Draw): Json[] =>
  draw.several(1, 2, () => ({
    type: draw.pick(['Container', 'Container', 'Container', 'Pod', 'PersistentVolumeClaim']),
    ...draw.members(LIMIT, 0.4),
  }))

const LIMIT: Readonly<Record<string, readonly Json[]>> = {
  min: [{ cpu: '50m' }, { memory: '10Mi' }, { storage: '1Gi' }],
  max: [{ cpu: '1', memory: '1Gi' }, { storage: '2Gi' }, { 'ephemeral-storage': '1Gi' }],
  default: [{ cpu: '300m' }, { cpu: '300m', memory: '200Mi' }],
  defaultRequest: [{ cpu: '100m' }, { memory: '50Mi' }],
  maxLimitRequestRatio: [{ cpu: '2' }, { memory: '1500m' }],
}

const AMOUNTS: Readonly<Record<string, readonly Json[]>> = {
  cpu: ['10m', '100m', '600m', '2'],
  memory: ['5Mi', '64Mi', '2Gi'],
  'ephemeral-storage': ['1Gi', '3Gi'],
  'example.com/gpu': ['1', '2'],
}

function write(draw: Draw): Step {
  const [path, make] = draw.pick(MADE)
  const name = draw.pick(['a', 'b', 'c'])
  const body = { metadata: { name }, ...make(draw) }
  switch (draw.pick(['create', 'create', 'create', 'create', 'create', 'put', 'resize', 'finish', 'delete', 'clear', 'quota'])) {
    case 'put':
      return { do: 'PUT', path: `${path}/${name}`, body }
    case 'resize':
      return {
        do: 'PATCH',
        path: `${API}/pods/${name}/resize`,
        body: { spec: { containers: [{ name: 'main', resources: resources(draw) }] } },
      }
    case 'finish':
      return { do: 'PATCH', path: `${API}/pods/${name}/status`, body: { status: { phase: draw.pick(['Succeeded', 'Failed', 'Running']) } } }
    case 'delete':
      return { do: 'DELETE', path: `${path}/${name}${draw.pick(['', '?gracePeriodSeconds=0'])}` }
    case 'clear':
      return { do: 'DELETE', path }
    case 'quota':
      return {
        do: 'PATCH',
        path: `${API}/resourcequotas/q${draw.pick(['', '/status'])}`,
        body: { spec: { hard: { pods: '2' } }, status: { used: { pods: '0' } } },
      }
    default:
      return { do: 'POST', path: `${path}${draw.pick(['', '', '', '?dryRun=All'])}`, body }
  }
}

const resources = (draw: Draw): JsonObject => ({
  ...(draw.chance(0.5) && { requests: draw.members(AMOUNTS, 0.3) }),
  ...(draw.chance(0.5) && { limits: draw.members(AMOUNTS, 0.3) }),
})

function pod(draw: Draw): JsonObject {
  const container = (name: string) => ({ name, image: 'x', resources: resources(draw) })
  return {
    spec: {
      automountServiceAccountToken: false,
      containers: [container('main'), ...(draw.chance(0.2) ? [container('side')] : [])],
      ...(draw.chance(0.2) && { initContainers: [{ ...container('init'), ...(draw.chance(0.5) && { restartPolicy: 'Always' }) }] }),
      ...(draw.chance(0.15) && { resources: resources(draw) }),
      ...draw.members(
        { activeDeadlineSeconds: [60], priorityClassName: ['system-node-critical'], overhead: [{ cpu: '1' }], restartPolicy: ['Never'] },
        0.1,
      ),
    },
  }
}

const SELECTED = {
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'd' }] } },
}

/** What the quota counts, by collection. */
const MADE: readonly [readonly [string, (draw: Draw) => JsonObject], ...(readonly [string, (draw: Draw) => JsonObject])[]] = [
  [`${API}/pods`, pod],
  [`${API}/pods`, pod],
  [`${API}/pods`, pod],
  [`${API}/configmaps`, () => ({})],
  [`${API}/secrets`, () => ({})],
  [
    `${API}/services`,
    (draw) => ({
      spec: {
        ports: [{ port: 80 }],
        ...draw.members({ type: ['NodePort', 'LoadBalancer', 'ClusterIP'], allocateLoadBalancerNodePorts: [false] }, 0.6),
      },
    }),
  ],
  [
    `${API}/persistentvolumeclaims`,
    (draw) => ({
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: draw.pick(['1Gi', '500Mi', '4Gi']) } },
        ...draw.members({ storageClassName: ['gold', ''], volumeAttributesClassName: ['gold'] }, 0.4),
      },
    }),
  ],
  ['/apis/apps/v1/namespaces/{ns}/deployments', () => ({ spec: SELECTED })],
  [
    '/apis/differ.bowsprit.dev/v1/namespaces/{ns}/widgets',
    () => ({ apiVersion: 'differ.bowsprit.dev/v1', kind: 'Widget', spec: { size: 1 } }),
  ],
]
