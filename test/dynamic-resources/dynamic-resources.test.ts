import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import { DEVICE_CLASSES, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import type { ResourceClaim, ResourceSlice } from '../../src/resources/types/resource.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const page = readFileSync(path.join(import.meta.dirname, '../../docs/dynamic-resources.md'), 'utf8')
const objects = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => decodeYaml(text).value as unknown as KubeObject)
const RESOURCES: Readonly<Record<string, string>> = {
  DeviceClass: 'deviceclasses',
  ResourceSlice: 'resourceslices',
  ResourceClaim: 'resourceclaims',
  Pod: 'pods',
}

function targetOf({ apiVersion, kind, metadata }: KubeObject) {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const resource = RESOURCES[kind]
  assert.ok(resource, `the page makes a ${kind}`)
  return { group, version, resource, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) }
}

/** A node without an agent, and the service account of pods. */
async function withNode(cluster: Cluster): Promise<Client> {
  const client = cluster.client()
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10' }
  const status = { capacity: allocatable, allocatable, conditions: [{ type: 'Ready', status: 'True' }] }
  await client.patch({ ...NODES, name: 'n1', subresource: 'status' }, 'merge', { status })
  await client.patch({ ...NODES, name: 'n1' }, 'merge', { spec: { taints: null } })
  await waitFor(() =>
    client.get({ ...SERVICE_ACCOUNTS, namespace: 'default', name: 'default' }).then(
      () => true,
      () => false,
    ),
  )
  return client
}

test('the page for authors of drivers holds: class, slice, claim and pods', async () => {
  await using cluster = await startCluster({ parts: ['server', 'scheduler', 'controllers'] })
  const client = await withNode(cluster)
  const inDefault = { namespace: 'default' }
  for (const object of objects) await client.create(targetOf(object), object)
  const podOf = (name: string) => client.get({ ...PODS, ...inDefault, name })
  await waitFor(async () => (await podOf('by-claim')).spec?.nodeName === 'n1' && (await podOf('by-resource')).spec?.nodeName === 'n1')
  const devicesOf = async (name: string) => {
    const claim = await client.get({ ...RESOURCE_CLAIMS, ...inDefault, name })
    return (claim.status?.allocation?.devices?.results ?? []).map((r) => r.device)
  }
  assert.deepEqual(await devicesOf('large'), ['gpu-1'])
  const special = (await podOf('by-resource')).status?.extendedResourceClaimStatus
  assert.deepEqual(await devicesOf(special?.resourceClaimName ?? ''), ['gpu-0'])
  // A taint without a toleration ends the pod, and its device is free again.
  const slice = objects.find((o): o is ResourceSlice => o.kind === 'ResourceSlice')
  assert.ok(slice)
  const devices = (slice.spec.devices ?? []).map((d) =>
    d.name === 'gpu-1' ? { ...d, taints: [{ key: 'example.com/sick', effect: 'NoExecute' }] } : d,
  )
  await client.patch({ ...targetOf(slice), name: 'n1-gpus' }, 'merge', { spec: { devices } })
  await waitFor(async () => {
    const gone = await podOf('by-claim').catch(() => undefined)
    return gone === undefined || gone.metadata.deletionTimestamp !== undefined
  })
})

test('two profiles of a scheduler do not allocate one device twice', async () => {
  const profiles = ['one', 'two'].map((schedulerName) => ({ schedulerName }))
  const schedulerConfig = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', profiles }
  await using cluster = await startCluster({ parts: ['server', 'scheduler', 'controllers'], schedulerConfig })
  const client = await withNode(cluster)
  const here = { namespace: 'default' }
  await client.create(DEVICE_CLASSES, { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'any' }, spec: {} })
  const pool = { name: 'n1', generation: 1, resourceSliceCount: 1 }
  await client.create(RESOURCE_SLICES, {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 'n1' },
    spec: { driver: 'example.com', nodeName: 'n1', pool, devices: [{ name: 'only' }] },
  })
  const requests = [{ name: 'r', exactly: { deviceClassName: 'any' } }]
  for (const name of ['one', 'two'])
    await client.create(
      { ...RESOURCE_CLAIMS, ...here },
      { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name }, spec: { devices: { requests } } },
    )
  const podOf = (name: string) =>
    pod(name, {
      spec: {
        schedulerName: name,
        resourceClaims: [{ name: 'c', resourceClaimName: name }],
        containers: [{ name: 'main', image: 'app', resources: { claims: [{ name: 'c' }] } }],
      },
    })
  await Promise.all(['one', 'two'].map((name) => client.create({ ...PODS, ...here }, podOf(name))))
  const decided = async () => {
    const { items } = await client.list({ ...PODS, ...here })
    return items.every((p) => p.status?.conditions?.some(({ type }) => type === 'PodScheduled')) && items
  }
  const pods = await waitFor(decided)
  assert.equal(pods.filter(({ spec }) => spec.nodeName !== undefined).length, 1)
  const { items: claims } = await client.list({ ...RESOURCE_CLAIMS, ...here })
  assert.equal(claims.filter(({ status }) => status?.allocation !== undefined).length, 1)
})

test('a pod that already has a node reserves its claims when they are allocated, unless one before is missing', async () => {
  await using cluster = await startCluster({ parts: ['server', 'controllers'] })
  const client = await withNode(cluster)
  const here = { namespace: 'default' }
  const claim = (name: string): ResourceClaim => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name },
    spec: { devices: {} },
  })
  const bound = (name: string, ...claims: readonly string[]) =>
    pod(name, {
      spec: {
        nodeName: 'n1',
        resourceClaims: claims.map((resourceClaimName) => ({ name: resourceClaimName, resourceClaimName })),
        containers: [{ name: 'main', image: 'app' }],
      },
    })
  for (const name of ['first', 'second']) await client.create({ ...RESOURCE_CLAIMS, ...here }, claim(name))
  await client.create({ ...PODS, ...here }, bound('whole', 'first', 'second'))
  await client.create({ ...PODS, ...here }, bound('lacking', 'missing', 'second'))
  const reservedFor = async (name: string) =>
    ((await client.get({ ...RESOURCE_CLAIMS, ...here, name })).status?.reservedFor ?? []).map((r) => r.name)
  for (const name of ['second', 'first'])
    await client.patch({ ...RESOURCE_CLAIMS, ...here, name, subresource: 'status' }, 'merge', { status: { allocation: {} } })
  await waitFor(async () => (await reservedFor('first')).length > 0 && (await reservedFor('second')).length > 0)
  assert.deepEqual(await reservedFor('second'), ['whole'])
  await client.create({ ...RESOURCE_CLAIMS, ...here }, claim('missing'))
  await waitFor(async () => (await reservedFor('second')).length === 2)
})

test('a claim that was created for a pod is created again when it is deleted', async () => {
  await using cluster = await startCluster({ parts: ['server', 'controllers'] })
  const client = await withNode(cluster)
  const here = { namespace: 'default' }
  await client.create({ group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaimtemplates', ...here }, {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name: 't' },
    spec: { spec: { devices: {} } },
  } as KubeObject)
  const resourceClaims = [{ name: 'c', resourceClaimTemplateName: 't' }]
  await client.create({ ...PODS, ...here }, pod('waiting', { spec: { resourceClaims, containers: [{ name: 'main', image: 'app' }] } }))
  const nameOf = async () => (await client.get({ ...PODS, ...here, name: 'waiting' })).status?.resourceClaimStatuses?.[0]?.resourceClaimName
  const first = await waitFor(nameOf)
  await client.delete({ ...RESOURCE_CLAIMS, ...here, name: first })
  const second = await waitFor(async () => {
    const name = await nameOf()
    return name !== first && name
  })
  assert.ok(await client.get({ ...RESOURCE_CLAIMS, ...here, name: second }))
})
