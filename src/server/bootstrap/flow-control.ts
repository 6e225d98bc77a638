import type { JsonObject, KubeObject } from '../../machinery/object.ts'

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1'
const ANNOTATIONS = { 'apf.kubernetes.io/autoupdate-spec': 'true' }

/**
 * The default priority levels: name, shares, lendable share in percent, and the queuing parameters (queues, hand size, queue length) if it
 * queues.
 */
const LEVELS: readonly (readonly [string, number, number, (readonly [number, number, number])?])[] = [
  ['catch-all', 5, 0],
  ['global-default', 20, 50, [128, 6, 50]],
  ['leader-election', 10, 0, [16, 4, 50]],
  ['node-high', 40, 25, [64, 6, 50]],
  ['system', 30, 33, [64, 6, 50]],
  ['workload-high', 40, 50, [128, 6, 50]],
  ['workload-low', 100, 90, [128, 6, 50]],
]

/** Priority levels as objects. */
export function priorityLevels(): KubeObject[] {
  const level = (name: string, spec: JsonObject): KubeObject => ({
    apiVersion: API_VERSION,
    kind: 'PriorityLevelConfiguration',
    metadata: { name, annotations: { ...ANNOTATIONS } },
    spec,
  })
  return [
    level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
    ...LEVELS.map(([name, nominalConcurrencyShares, lendablePercent, queues]) => {
      const limitResponse: JsonObject =
        queues === undefined
          ? { type: 'Reject' }
          : { type: 'Queue', queuing: { queues: queues[0], handSize: queues[1], queueLengthLimit: queues[2] } }
      return level(name, { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse, lendablePercent } })
    }),
  ]
}

/** Flow schemas: name, level, precedence, distinguisher, subjects, and rules (all requests if absent). */
const SCHEMAS: readonly (readonly [string, string, number, '' | 'ByUser' | 'ByNamespace', readonly string[], JsonObject?])[] = [
  ['exempt', 'exempt', 1, '', ['group system:masters']],
  [
    'probes',
    'exempt',
    2,
    '',
    ['group system:unauthenticated', 'group system:authenticated'],
    { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
  ],
  [
    'system-leader-election',
    'leader-election',
    100,
    'ByUser',
    ['user system:kube-controller-manager', 'user system:kube-scheduler', 'account kube-system/*'],
    {
      resourceRules: [{ verbs: ['get', 'create', 'update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] }],
    },
  ],
  [
    'system-node-high',
    'node-high',
    400,
    'ByUser',
    ['group system:nodes'],
    {
      resourceRules: [
        { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
        { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] },
      ],
    },
  ],
  ['system-nodes', 'system', 500, 'ByUser', ['group system:nodes']],
  ['kube-controller-manager', 'workload-high', 800, 'ByNamespace', ['user system:kube-controller-manager']],
  ['kube-scheduler', 'workload-high', 800, 'ByNamespace', ['user system:kube-scheduler']],
  ['kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', ['account kube-system/*']],
  ['service-accounts', 'workload-low', 9000, 'ByUser', ['group system:serviceaccounts']],
  ['global-default', 'global-default', 9900, 'ByUser', ['group system:unauthenticated', 'group system:authenticated']],
  ['catch-all', 'catch-all', 10_000, 'ByUser', ['group system:unauthenticated', 'group system:authenticated']],
]

const EVERYTHING: JsonObject = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}

/** Flow schemas as objects, without their status: see `FlowSchemaConditions`. */
export function flowSchemas(): KubeObject[] {
  return SCHEMAS.map(([name, level, matchingPrecedence, by, subjects, requests]) => ({
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: { name, annotations: { ...ANNOTATIONS } },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(by === '' ? {} : { distinguisherMethod: { type: by } }),
      rules: [{ subjects: subjects.map(subject), ...(requests ?? EVERYTHING) }],
    },
  }))
}

function subject(text: string): JsonObject {
  const [kind = '', name = ''] = text.split(' ')
  if (kind === 'group') return { kind: 'Group', group: { name } }
  if (kind === 'user') return { kind: 'User', user: { name } }
  const [namespace = '', account = ''] = name.split('/')
  return { kind: 'ServiceAccount', serviceAccount: { namespace, name: account } }
}
