import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ConfigMap, Secret, Service } from '../../../resources/types/core.ts'
import { withAdditions } from '../../runtime/container-spec.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { expandReferences } from './expand.ts'
import { resolveContainer } from './resolve-container.ts'
import { resolveEnvironment } from './resolve-environment.ts'
import { containerResources } from './resolve-resources.ts'
import { serviceEnvironment } from './service-environment.ts'

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', uid: 'u-1', labels: { app: 'web' }, annotations: { 'a/b': 'c' } },
  spec: { nodeName: 'node-1', serviceAccountName: 'robot', containers: [] },
  status: {},
}

const configMap = (data: ConfigMap['data'] & {}): ConfigMap => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data })
const secret = (data: Secret['data'] & {}): Secret => ({ apiVersion: 'v1', kind: 'Secret', metadata: {}, data })
const input = (container: Partial<Container>) => ({
  pod,
  container: { name: 'main', image: 'app', ...container },
  hostIp: '192.0.2.1',
  podIps: ['10.0.0.9'],
  allocatable: { cpu: '4', memory: '8Gi' },
  configMaps: new Map([['cm', configMap({ a: 'one', b: 'two' })]]),
  secrets: new Map([['sec', secret({ key: Buffer.from('hidden').toString('base64') })]]),
  services: [{ name: 'DB_SERVICE_HOST', value: '10.1.1.1' }],
})
const limits = { limits: { cpu: '1500m', memory: '100Mi' }, requests: { cpu: '250m' } }
const from = (valueFrom: object): Partial<Container> => ({ env: [{ name: 'X', valueFrom }] })

const environments: readonly (readonly [string, Partial<Container>, string])[] = [
  ['services are there', {}, 'DB_SERVICE_HOST=10.1.1.1'],
  ['and what the container says wins', { env: [{ name: 'DB_SERVICE_HOST', value: 'mine' }] }, 'DB_SERVICE_HOST=mine'],
  [
    'references see what stands before them, and services',
    {
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '$(A)-$(DB_SERVICE_HOST)-$(C)' },
        { name: 'C', value: '3' },
      ],
    },
    'A=1 B=1-10.1.1.1-$(C) C=3 DB_SERVICE_HOST=10.1.1.1',
  ],
  [
    'of two with one name the last wins, and may use the first',
    {
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '$(A)2' },
      ],
    },
    'A=12 DB_SERVICE_HOST=10.1.1.1',
  ],
  [
    'all keys of a config map, with a prefix',
    { envFrom: [{ prefix: 'P_', configMapRef: { name: 'cm' } }] },
    'P_a=one P_b=two DB_SERVICE_HOST=10.1.1.1',
  ],
  ['a secret is decoded', from({ secretKeyRef: { name: 'sec', key: 'key' } }), 'X=hidden DB_SERVICE_HOST=10.1.1.1'],
  [
    'an optional key that is missing is no variable',
    from({ configMapKeyRef: { name: 'cm', key: 'z', optional: true } }),
    'DB_SERVICE_HOST=10.1.1.1',
  ],
  ['a missing config map', from({ configMapKeyRef: { name: 'none', key: 'z' } }), 'configmap "none" not found'],
  ['a missing key', from({ secretKeyRef: { name: 'sec', key: 'z' } }), "couldn't find key z in Secret ns/sec"],
  ['all of a missing secret', { envFrom: [{ secretRef: { name: 'none' } }] }, 'secret "none" not found'],
  ['the pod by field', from({ fieldRef: { fieldPath: "metadata.labels['app']" } }), 'X=web DB_SERVICE_HOST=10.1.1.1'],
  ['its address', from({ fieldRef: { fieldPath: 'status.podIP' } }), 'X=10.0.0.9 DB_SERVICE_HOST=10.1.1.1'],
  ['its account', from({ fieldRef: { fieldPath: 'spec.serviceAccountName' } }), 'X=robot DB_SERVICE_HOST=10.1.1.1'],
  [
    'limits are rounded up to whole units',
    { ...from({ resourceFieldRef: { resource: 'limits.cpu' } }), resources: limits },
    'X=2 DB_SERVICE_HOST=10.1.1.1',
  ],
  [
    'or told in the divisor',
    { ...from({ resourceFieldRef: { resource: 'requests.cpu', divisor: '1m' } }), resources: limits },
    'X=250 DB_SERVICE_HOST=10.1.1.1',
  ],
  [
    'memory too',
    { ...from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } }), resources: limits },
    'X=100 DB_SERVICE_HOST=10.1.1.1',
  ],
  [
    'of a container that the pod lacks there is none',
    from({ resourceFieldRef: { containerName: 'none', resource: 'limits.cpu' } }),
    'container none not found',
  ],
  ['no limit is what the node has', from({ resourceFieldRef: { resource: 'limits.cpu' } }), 'X=4 DB_SERVICE_HOST=10.1.1.1'],
]

for (const [rule, container, wanted] of environments) {
  test(`environment: ${rule}`, () => {
    let said: string
    try {
      said = resolveEnvironment(input(container))
        .map((e) => `${e.name}=${e.value}`)
        .join(' ')
    } catch (error) {
      said = error instanceof Error ? error.message : ''
    }
    assert.equal(said, wanted)
  })
}

const expansions: readonly (readonly [string, string])[] = [
  ['$(A)', '1'],
  ['$(A)$(B)', '1$(B)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$1'],
  ['$A', '$A'],
  ['$(A', '$(A'],
  ['a$', 'a$'],
  ['$()', '$()'],
]

for (const [written, wanted] of expansions)
  test(`references expand as in Kubernetes: ${JSON.stringify(written)}`, () =>
    assert.equal(
      expandReferences(written, (n) => (n === 'A' ? '1' : undefined)),
      wanted,
      written,
    ))

test('text without references never changes, whatever it holds', () => {
  fc.assert(fc.property(fc.string(), (text) => expandReferences(text.replaceAll('$', ''), () => 'X') === text.replaceAll('$', '')))
  fc.assert(fc.property(fc.string(), (text) => expandReferences(text.replaceAll('$', '$$$$'), () => 'X') === text))
})

test('a container is resolved whole: command, arguments, mounts, user, amounts', () => {
  const spec = resolveContainer({
    ...input({
      command: ['run', '$(A)'],
      args: ['--host=$(DB_SERVICE_HOST)', '$(NONE)'],
      env: [{ name: 'A', value: 'x' }],
      volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: 'logs-$(A)', readOnly: true }],
      securityContext: { runAsUser: 7 },
      resources: limits,
    }),
    attempt: 2,
    image: { name: 'app:latest', id: 'app@1', sizeBytes: 1 },
  })
  assert.deepEqual(
    [spec.command, spec.args],
    [
      ['run', 'x'],
      ['--host=10.1.1.1', '$(NONE)'],
    ],
  )
  assert.deepEqual(spec.mounts, [{ volume: 'v', containerPath: '/v', readOnly: true, subPath: 'logs-x' }])
  assert.deepEqual([spec.attempt, spec.imageId, spec.user.uid], [2, 'app@1', 7])
  assert.deepEqual(spec.resources, { cpuShares: 256, cpuPeriodUs: 100_000, cpuQuotaUs: 150_000, memoryLimitBytes: 104_857_600 })
})

test('additions of admission handlers are merged into the spec, and take precedence', () => {
  const spec = resolveContainer({ ...input({ env: [{ name: 'A', value: '1' }] }), attempt: 0, image: { name: 'a', id: 'a', sizeBytes: 0 } })
  const device = { hostPath: '/dev/x', containerPath: '/dev/x', permissions: 'rw' }
  const more = withAdditions(spec, {
    environment: [{ name: 'A', value: '2' }],
    devices: [device],
    cdiDevices: ['v/c=d'],
    annotations: { n: 'o' },
  })
  assert.equal(more.environment.find((e) => e.name === 'A')?.value, '2')
  assert.deepEqual([more.devices, more.cdiDevices, more.annotations.n], [[device], ['v/c=d'], 'o'])
})

test('huge pages are limited by the names that the kernel has for their sizes', () => {
  const limits = { 'hugepages-2Mi': '6Mi', 'hugepages-1Gi': '2Gi', 'hugepages-1024Ki': '1Mi', 'hugepages-odd': '1' }
  assert.deepEqual(containerResources({ resources: { limits } }).hugePageLimits, { '2MB': 6 * 2 ** 20, '1GB': 2 ** 31, '1MB': 2 ** 20 })
  assert.deepEqual(Object.keys(containerResources({ resources: { limits: { memory: '1Gi' } } })), ['cpuShares', 'memoryLimitBytes'])
})

test('a container without requests has the least share of a core', () => {
  assert.deepEqual(containerResources({}), { cpuShares: 2 })
  assert.deepEqual(containerResources({ resources: { limits: { cpu: '1m' } } }), { cpuShares: 2, cpuPeriodUs: 100_000, cpuQuotaUs: 1000 })
})

test('Services appear as environment variables; headless ones do not', () => {
  const service = (name: string, clusterIP: string): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: {
      clusterIP,
      ports: [
        { name: 'sql', port: 5432 },
        { name: 'x-y', port: 9, protocol: 'UDP' },
      ],
    },
  })
  const reported = serviceEnvironment([service('my-db', '10.0.0.7'), service('headless', 'None')]).map((e) => `${e.name}=${e.value}`)
  assert.deepEqual(reported.slice(0, 6), [
    'MY_DB_SERVICE_HOST=10.0.0.7',
    'MY_DB_SERVICE_PORT=5432',
    'MY_DB_SERVICE_PORT_SQL=5432',
    'MY_DB_SERVICE_PORT_X_Y=9',
    'MY_DB_PORT=tcp://10.0.0.7:5432',
    'MY_DB_PORT_5432_TCP=tcp://10.0.0.7:5432',
  ])
  assert.equal(reported.at(-1), 'MY_DB_PORT_9_UDP_ADDR=10.0.0.7')
})

test('a path inside a volume cannot leave it, whatever the value of a variable', () => {
  const resolved = (value: string) =>
    resolveContainer({
      ...input({ env: [{ name: 'A', value }], volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '$(A)' }] }),
      attempt: 0,
      image: { name: 'app:latest', id: 'app@1', sizeBytes: 1 },
    })
  assert.throws(() => resolved('..'), /unable to provision SubPath `\.\.`: must not contain '\.\.'/)
  assert.throws(() => resolved('/tmp'), /error SubPath `\/tmp` must not be an absolute path/)
  assert.equal(resolved('..a/b..').mounts[0]?.subPath, '..a/b..')
})
