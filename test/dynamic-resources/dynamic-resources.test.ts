import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { KubeObject } from '../../src/machinery/object.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import { NODES, PODS, RESOURCE_CLAIMS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import type { ResourceSlice } from '../../src/resources/types/resource.ts'
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

test('the page for authors of drivers holds: class, slice, claim and pods', async () => {
  await using cluster = await startCluster({ parts: ['server', 'scheduler', 'controllers'] })
  const client = cluster.client()
  const inDefault = { namespace: 'default' }
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10' }
  const status = { capacity: allocatable, allocatable, conditions: [{ type: 'Ready', status: 'True' }] }
  await client.patch({ ...NODES, name: 'n1', subresource: 'status' }, 'merge', { status })
  await client.patch({ ...NODES, name: 'n1' }, 'merge', { spec: { taints: null } })
  await waitFor(() =>
    client.get({ ...SERVICE_ACCOUNTS, ...inDefault, name: 'default' }).then(
      () => true,
      () => false,
    ),
  )
  for (const object of objects) await client.create(targetOf(object), object)
  const pod = (name: string) => client.get({ ...PODS, ...inDefault, name })
  await waitFor(async () => (await pod('by-claim')).spec?.nodeName === 'n1' && (await pod('by-resource')).spec?.nodeName === 'n1')
  const devicesOf = async (name: string) => {
    const claim = await client.get({ ...RESOURCE_CLAIMS, ...inDefault, name })
    return (claim.status?.allocation?.devices?.results ?? []).map((r) => r.device)
  }
  assert.deepEqual(await devicesOf('large'), ['gpu-1'])
  const special = (await pod('by-resource')).status?.extendedResourceClaimStatus
  assert.deepEqual(await devicesOf(special?.resourceClaimName ?? ''), ['gpu-0'])
  // A taint without a toleration ends the pod, and its device is free again.
  const slice = objects.find((o): o is ResourceSlice => o.kind === 'ResourceSlice')
  assert.ok(slice)
  const devices = (slice.spec.devices ?? []).map((d) =>
    d.name === 'gpu-1' ? { ...d, taints: [{ key: 'example.com/sick', effect: 'NoExecute' }] } : d,
  )
  await client.patch({ ...targetOf(slice), name: 'n1-gpus' }, 'merge', { spec: { devices } })
  await waitFor(async () => {
    const gone = await pod('by-claim').catch(() => undefined)
    return gone === undefined || gone.metadata.deletionTimestamp !== undefined
  })
})
