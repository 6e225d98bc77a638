import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asKubeObject, isObject, type KubeObject } from '../../machinery/object.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import { evaluatorOf } from './usage.ts'

const objectOf = (kind: string, text: string): KubeObject => {
  const { value } = decodeYaml(text)
  return asKubeObject({ apiVersion: 'v1', kind, metadata: { name: 'a' }, ...(isObject(value) ? value : {}) })
}

/** The fields of an object, and what it uses, as `NAME=AMOUNT …`. */
type Row = readonly [object: string, usage: string]

function usages(title: string, [group, resource, kind]: readonly [string, string, string], rows: readonly Row[]) {
  describe(`usage of ${title}`, () => {
    for (const [object, expected] of rows)
      test(object, () => {
        const used = evaluatorOf(group, resource).usage(objectOf(kind, object))
        assert.equal([...used].map(([name, amount]) => `${name}=${amount}`).join(' '), expected)
      })
  })
}

const container = (resources: string) => `{name: c, resources: ${resources}}`
usages(
  'pods',
  ['', 'pods', 'Pod'],
  [
    ['{}', 'count/pods=1 pods=1'],
    ['{status: {phase: Failed}}', 'count/pods=1'],
    ['{status: {phase: Succeeded}}', 'count/pods=1'],
    ['{status: {phase: Running}}', 'count/pods=1 pods=1'],
    [
      `{spec: {containers: [${container('{requests: {cpu: 100m, memory: 1Gi}}')}]}}`,
      'count/pods=1 pods=1 cpu=100m requests.cpu=100m memory=1Gi requests.memory=1Gi',
    ],
    [
      `{spec: {containers: [${container('{requests: {cpu: 100m}}')}, ${container('{requests: {cpu: 200m}}')}]}}`,
      'count/pods=1 pods=1 cpu=300m requests.cpu=300m',
    ],
    [
      `{spec: {containers: [${container('{limits: {cpu: 2, memory: 2Gi, ephemeral-storage: 1G}}')}]}}`,
      'count/pods=1 pods=1 limits.cpu=2 limits.memory=2Gi limits.ephemeral-storage=1G',
    ],
    [
      `{spec: {containers: [${container('{requests: {ephemeral-storage: 1G, hugepages-2Mi: 2Mi}}')}]}}`,
      'count/pods=1 pods=1 ephemeral-storage=1G requests.ephemeral-storage=1G hugepages-2Mi=2Mi requests.hugepages-2Mi=2Mi',
    ],
    // Of extended resources only requests count: limits are the same.
    [`{spec: {containers: [${container('{requests: {a.b/gpu: 2}, limits: {a.b/gpu: 2}}')}]}}`, 'count/pods=1 pods=1 requests.a.b/gpu=2'],
    [`{spec: {containers: [${container('{requests: {storage: 1Gi}}')}]}}`, 'count/pods=1 pods=1'],
  ],
)

usages(
  'services',
  ['', 'services', 'Service'],
  [
    ['{}', 'services=1 count/services=1 services.nodeports=0 services.loadbalancers=0'],
    ['{spec: {type: ClusterIP, ports: [{port: 1}]}}', 'services=1 count/services=1 services.nodeports=0 services.loadbalancers=0'],
    [
      '{spec: {type: NodePort, ports: [{port: 1}, {port: 2}]}}',
      'services=1 count/services=1 services.nodeports=2 services.loadbalancers=0',
    ],
    [
      '{spec: {type: LoadBalancer, ports: [{port: 1}, {port: 2}]}}',
      'services=1 count/services=1 services.nodeports=2 services.loadbalancers=1',
    ],
    [
      '{spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 1, nodePort: 30000}, {port: 2}, {port: 3, nodePort: 0}]}}',
      'services=1 count/services=1 services.nodeports=1 services.loadbalancers=1',
    ],
  ],
)

const claimed = 'persistentvolumeclaims=1 count/persistentvolumeclaims=1'
const gold = (name: string) => `gold.storageclass.storage.k8s.io/${name}`
usages(
  'claims',
  ['', 'persistentvolumeclaims', 'PersistentVolumeClaim'],
  [
    ['{}', claimed],
    ['{spec: {resources: {requests: {storage: 1Gi}}}}', `${claimed} requests.storage=1Gi`],
    ['{spec: {resources: {requests: {storage: 1500m}}}}', `${claimed} requests.storage=2`],
    ['{spec: {resources: {requests: {storage: 1Gi}}, storageClassName: ""}}', `${claimed} requests.storage=1Gi`],
    [
      '{spec: {resources: {requests: {storage: 1Gi}}, storageClassName: gold}}',
      `${claimed} ${gold('persistentvolumeclaims')}=1 requests.storage=1Gi ${gold('requests.storage')}=1Gi`,
    ],
    ['{spec: {storageClassName: gold}}', `${claimed} ${gold('persistentvolumeclaims')}=1`],
    ['{metadata: {annotations: {volume.beta.kubernetes.io/storage-class: gold}}}', `${claimed} ${gold('persistentvolumeclaims')}=1`],
    ['{spec: {resources: {requests: {storage: 1Gi}}}, status: {allocatedResources: {storage: 2Gi}}}', `${claimed} requests.storage=2Gi`],
    ['{spec: {resources: {requests: {storage: 3Gi}}}, status: {allocatedResources: {storage: 2Gi}}}', `${claimed} requests.storage=3Gi`],
    ['{status: {allocatedResources: {storage: 2Gi}}}', `${claimed} requests.storage=2Gi`],
  ],
)

const counted = 'count/resourceclaims.resource.k8s.io=1'
const devices = (className: string) => `${className}.deviceclass.resource.k8s.io/devices`
usages(
  'claims of devices',
  ['resource.k8s.io', 'resourceclaims', 'ResourceClaim'],
  [
    ['{}', counted],
    ['{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: x}}]}}}', `${counted} ${devices('x')}=1`],
    [
      '{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: x, allocationMode: ExactCount, count: 3}}]}}}',
      `${counted} ${devices('x')}=3`,
    ],
    ['{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: x, allocationMode: All}}]}}}', `${counted} ${devices('x')}=32`],
    [
      '{spec: {devices: {requests: [{name: a, exactly: {deviceClassName: x, count: 3}}, {name: b, exactly: {deviceClassName: x}}, {name: c, exactly: {deviceClassName: z}}]}}}',
      `${counted} ${devices('x')}=4 ${devices('z')}=1`,
    ],
    // Only one of the choices is allocated.
    [
      '{spec: {devices: {requests: [{name: a, firstAvailable: [{name: p, deviceClassName: x, count: 3}, {name: q, deviceClassName: x, count: 2}, {name: r, deviceClassName: z}]}]}}}',
      `${counted} ${devices('x')}=3 ${devices('z')}=1`,
    ],
  ],
)

usages('any other object', ['apps', 'deployments', 'Deployment'], [['{}', 'count/deployments.apps=1']])
usages('configmaps', ['', 'configmaps', 'ConfigMap'], [['{}', 'count/configmaps=1 configmaps=1']])
usages('endpoints', ['', 'endpoints', 'Endpoints'], [['{}', 'count/endpoints=1']])
// The plain names are those of the core group.
usages('secrets of another group', ['example.com', 'secrets', 'Secret'], [['{}', 'count/secrets.example.com=1']])

/** Which names of a quota are about a resource, and which are not. */
const COUNTS: readonly (readonly [group: string, resource: string, yes: readonly string[], no: readonly string[]])[] = [
  [
    '',
    'pods',
    [
      'pods',
      'count/pods',
      'cpu',
      'memory',
      'ephemeral-storage',
      'requests.cpu',
      'limits.memory',
      'requests.hugepages-2Mi',
      'requests.a.b/gpu',
    ],
    ['services', 'count/services', 'limits.a.b/gpu', 'a.b/gpu', 'requests.storage', 'requests.kubernetes.io/x', 'count/pods.apps'],
  ],
  [
    '',
    'services',
    ['services', 'services.nodeports', 'services.loadbalancers', 'count/services'],
    ['pods', 'services.other', 'count/pods'],
  ],
  [
    '',
    'persistentvolumeclaims',
    [
      'persistentvolumeclaims',
      'count/persistentvolumeclaims',
      'requests.storage',
      gold('persistentvolumeclaims'),
      gold('requests.storage'),
    ],
    ['requests.cpu', gold('other'), 'count/pods'],
  ],
  ['resource.k8s.io', 'resourceclaims', ['count/resourceclaims.resource.k8s.io', devices('x')], ['count/resourceclaims', 'pods']],
  ['', 'secrets', ['secrets', 'count/secrets'], ['count/secrets.apps', 'configmaps']],
  ['apps', 'deployments', ['count/deployments.apps'], ['deployments', 'deployments.apps', 'count/deployments']],
  ['', 'events', [], ['count/events']],
  ['events.k8s.io', 'events', [], ['count/events.events.k8s.io']],
]
for (const [group, resource, yes, no] of COUNTS)
  for (const name of [...yes, ...no])
    test(`${name} ${yes.includes(name) ? 'limits' : 'does not limit'} ${resource}`, () =>
      assert.equal(evaluatorOf(group, resource).counts(name), yes.includes(name)))

test('an update changes what pods, services and claims use', () => {
  const changing = (['pods', 'services', 'persistentvolumeclaims', 'secrets'] as const).filter((r) => evaluatorOf('', r).updates)
  assert.deepEqual(changing, ['pods', 'services', 'persistentvolumeclaims'])
  assert.equal(evaluatorOf('resource.k8s.io', 'resourceclaims').updates, false)
})

/** Where a quota limits CPU or memory, each container names its share. */
const MISSING: readonly (readonly [pod: string, names: readonly string[], text: string | undefined])[] = [
  ['{spec: {containers: [{name: c}]}}', ['pods'], undefined],
  ['{spec: {containers: [{name: c}]}}', ['pods', 'cpu'], 'must specify cpu for: c'],
  ['{spec: {containers: [{name: c}]}}', ['requests.ephemeral-storage', 'requests.a.b/gpu'], undefined],
  [
    '{spec: {containers: [{name: d}, {name: c}], initContainers: [{name: b}]}}',
    ['memory', 'cpu'],
    'must specify cpu for: b,c,d; memory for: b,c,d',
  ],
  [`{spec: {containers: [${container('{requests: {cpu: 1}}')}, {name: d}]}}`, ['requests.cpu'], 'must specify requests.cpu for: d'],
  [`{spec: {containers: [${container('{requests: {cpu: 1}}')}]}}`, ['requests.cpu', 'cpu'], undefined],
  [`{spec: {containers: [${container('{requests: {cpu: 1}}')}]}}`, ['limits.cpu'], 'must specify limits.cpu for: c'],
  [`{spec: {containers: [${container('{limits: {memory: 1}}')}]}}`, ['limits.memory'], undefined],
  ['{spec: {containers: [{name: c}], resources: {requests: {cpu: 1}}}}', ['requests.cpu', 'memory'], undefined],
  ['{spec: {containers: [{name: c}], resources: {requests: {}}}}', ['memory'], 'must specify memory for: c'],
  ['{spec: {containers: [{name: c}, {name: c}]}}', ['cpu'], 'must specify cpu for: c'],
]
for (const [pod, names, text] of MISSING)
  test(`what a quota of ${names} misses in ${pod}`, () =>
    assert.equal(evaluatorOf('', 'pods').missing?.(objectOf('Pod', pod), names), text))
