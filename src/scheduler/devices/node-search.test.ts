import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../resources/types/resource.ts'
import { podInfo } from '../cache/pod-info.ts'
import type { Listers } from '../framework/listers.ts'
import type { PluginContext } from '../framework/prepared.ts'
import { dynamicResources } from '../plugins/dynamic-resources.ts'
import { clusterOf, node, pluginOf, pod } from '../plugins/plugin-table.double.ts'

const CLASS: DeviceClass = { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} }
const slice = (on: string, count: number): ResourceSlice => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: `slice-${on}` },
  spec: {
    driver: 'd.example.com',
    nodeName: on,
    pool: { name: on, generation: 1, resourceSliceCount: 1 },
    devices: Array.from({ length: count }, (_, i) => ({ name: `gpu-${i}`, attributes: { n: { int: i } } })),
  },
})
const claim = (name: string, count = 1, selector?: string): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name, namespace: 'default', uid: `uid-of-${name}` },
  spec: {
    devices: {
      requests: [
        {
          name: 'r',
          exactly: { deviceClassName: 'gpu', count, ...(selector === undefined ? {} : { selectors: [{ cel: { expression: selector } }] }) },
        },
      ],
    },
  },
})
const using = (name: string, claimName: string) =>
  podInfo(pod(name, { spec: { resourceClaims: [{ name: 'c', resourceClaimName: claimName }] } }))

/** A cluster whose objects may change, with a new version of their resource at each change. */
function changing(objects: Record<string, readonly KubeObject[]>): {
  readonly context: PluginContext
  set(resource: string, list: readonly KubeObject[]): void
} {
  const versions = new Map<string, number>()
  const nodes = [node('a'), node('b')]
  const { table, listers } = clusterOf({ nodes, objects })
  const context: PluginContext = {
    table,
    listers: { ...listers, version: (resource: string) => versions.get(resource) ?? 0 } satisfies Listers,
  }
  return {
    context,
    set(resource, list) {
      objects[resource] = list
      versions.set(resource, (versions.get(resource) ?? 0) + 1)
    },
  }
}

const cluster = (...claims: readonly ResourceClaim[]) =>
  changing({ deviceclasses: [CLASS], resourceslices: [slice('a', 2), slice('b', 1)], resourceclaims: claims })

/** Runs the preparation to its end; how many turns it gave. */
function prepare(plugin: ReturnType<typeof pluginOf>, info: ReturnType<typeof using>, context: PluginContext, between = () => {}): number {
  let turns = 0
  for (const _ of plugin.prepare?.(info, context, () => [0, 1]) ?? []) {
    turns++
    between()
  }
  return turns
}

const verdictsOf = (plugin: ReturnType<typeof pluginOf>, info: ReturnType<typeof using>, context: PluginContext) => {
  const filter = plugin.filter?.(info, context)
  return [0, 1].map((row) => (filter?.refuse ?? filter?.check?.(row))?.reasons.join() ?? 'fits')
}

test('a pod without claims prepares nothing', () => {
  const { context } = cluster()
  assert.equal(
    pluginOf(dynamicResources).prepare?.(podInfo(pod('p')), context, () => [0]),
    undefined,
  )
})

test('a pod with an extended resource prepares nothing unless a class offers it', () => {
  const { context, set } = cluster()
  const plugin = pluginOf(dynamicResources)
  const info = podInfo(pod('p', { requests: 'example.com/dongle=1' }))
  const preparation = () => plugin.prepare?.(info, context, () => [0])
  assert.equal(preparation(), undefined)
  set('deviceclasses', [{ ...CLASS, spec: { extendedResourceName: 'example.com/dongle' } }])
  assert.notEqual(preparation(), undefined)
})

test('devices are found on nodes that have enough of them', () => {
  const { context } = cluster(claim('c', 2))
  const plugin = pluginOf(dynamicResources)
  prepare(plugin, using('p', 'c'), context)
  assert.deepEqual(verdictsOf(plugin, using('p', 'c'), context), ['fits', 'cannot allocate all claims'])
})

test('a claim that is reserved for one pod takes its devices from the next', async () => {
  const { context } = cluster(claim('c', 2), claim('d', 1))
  const plugin = pluginOf(dynamicResources)
  const [first, second] = [using('p', 'c'), using('q', 'd')]
  prepare(plugin, first, context)
  const reservation = await plugin.reserve?.(first, 'a', context)
  assert.ok(reservation !== undefined && 'undo' in reservation)
  assert.deepEqual(verdictsOf(plugin, second, context), ['cannot allocate all claims', 'fits'])
  await reservation.undo()
  assert.deepEqual(verdictsOf(plugin, second, context), ['fits', 'fits'])
})

test('what was found holds no longer when devices or claims change', async () => {
  const { context, set } = cluster(claim('c', 2))
  const plugin = pluginOf(dynamicResources)
  const info = using('p', 'c')
  prepare(plugin, info, context)
  set('resourceslices', [slice('a', 1), slice('b', 2)])
  assert.deepEqual(verdictsOf(plugin, info, context), ['cannot allocate all claims', 'fits'])
  const results = [0, 1].map((i) => ({ request: 'r', driver: 'd.example.com', pool: 'b', device: `gpu-${i}` }))
  set('resourceclaims', [claim('c', 2), { ...claim('other'), status: { allocation: { devices: { results } } } }])
  assert.deepEqual(verdictsOf(plugin, info, context), ['cannot allocate all claims', 'cannot allocate all claims'])
})

/** Costs some 6,000 steps for each device. */
const DEAR = (() => {
  const numbers = `[${Array.from({ length: 100 }, (_, i) => i)}]`
  return `${numbers}.all(x, ${numbers}.all(y, x + y >= 0))`
})()

test('a change between two turns of the preparation is seen by its end', () => {
  const { context, set } = cluster(claim('c', 1, DEAR))
  const plugin = pluginOf(dynamicResources)
  const info = using('p', 'c')
  let changes = 0
  const turns = prepare(plugin, info, context, () => {
    if (changes++ === 0) set('resourceslices', [slice('b', 1)])
  })
  assert.ok(turns > 1)
  assert.deepEqual(verdictsOf(plugin, info, context), ['cannot allocate all claims', 'fits'])
})

test('a filter that was not prepared searches by itself, but gives up soon', () => {
  const { context, set } = cluster(claim('c', 20, DEAR))
  set('resourceslices', [slice('a', 20), slice('b', 1)])
  const plugin = pluginOf(dynamicResources)
  const info = using('p', 'c')
  assert.deepEqual(verdictsOf(plugin, info, context), ['timed out trying to allocate devices', 'timed out trying to allocate devices'])
  prepare(plugin, info, context)
  assert.deepEqual(verdictsOf(plugin, info, context), ['fits', 'cannot allocate all claims'])
})
