/** NodeResourcesFit with its strategies, NodeResourcesBalancedAllocation, ImageLocality. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceClass } from '../../resources/types/resource.ts'
import { imageLocality } from './image-locality.ts'
import { nodeResourcesBalancedAllocation } from './node-resources-balanced-allocation.ts'
import { nodeResourcesFit } from './node-resources-fit.ts'
import { clusterOf, node, pluginOf, pod, scoresOf, verdictsOf } from './plugin-table.double.ts'

for (const [rule, allocatable, used, wanted, expected] of [
  ['what is free exactly is enough', 'cpu=2 memory=4Gi pods=9', 'cpu=1 memory=1Gi', 'cpu=1 memory=3Gi', 'fits'],
  ['used amounts are short: others may go', 'cpu=2 memory=4Gi pods=9', 'cpu=1', 'cpu=1500m', 'Insufficient cpu'],
  ['more than the node has: nobody need go', 'cpu=2 memory=4Gi pods=9', 'cpu=1', 'cpu=3', '!Insufficient cpu'],
  [
    'every short resource is named',
    'cpu=1 memory=1Gi pods=9',
    'cpu=1 memory=1Gi',
    'cpu=1 memory=1Gi',
    'Insufficient cpu; Insufficient memory',
  ],
  [
    'one hopeless resource makes all hopeless',
    'cpu=1 memory=1Gi pods=9',
    'cpu=1',
    'cpu=1 memory=2Gi',
    '!Insufficient cpu; Insufficient memory',
  ],
  ['the number of pods is limited', 'cpu=2 memory=4Gi pods=1', 'cpu=1', 'cpu=1', 'Too many pods'],
  ['an extended resource is counted', 'cpu=2 example.com/x=2 pods=9', 'example.com/x=1', 'example.com/x=1', 'fits'],
  ['an extended resource that no node has', 'cpu=2 pods=9', '', 'example.com/x=1', '!Insufficient example.com/x'],
  ['without requests only the number of pods counts', 'cpu=0 pods=9', '', '', 'fits'],
] as const)
  test(`NodeResourcesFit: ${rule}`, () => {
    const context = clusterOf({ nodes: [node('a', { allocatable })], placed: [pod('q', { requests: used, on: 'a' })] })
    assert.equal(verdictsOf(pluginOf(nodeResourcesFit), pod('p', { requests: wanted }), context), `a: ${expected}`)
  })

test('NodeResourcesFit: init containers count when they need more, sidecars add up, overhead comes on top', () => {
  const of = (cpu: string, more: object = {}) => ({ name: `c${cpu}`, resources: { requests: { cpu } }, ...more })
  const context = clusterOf({ nodes: [node('a', { allocatable: 'cpu=3 memory=1Gi pods=9' })] })
  const verdict = (spec: object) => verdictsOf(pluginOf(nodeResourcesFit), pod('p', { spec }), context)
  assert.equal(verdict({ containers: [of('1')], initContainers: [of('3')] }), 'a: fits')
  assert.equal(verdict({ containers: [of('1')], initContainers: [of('4')] }), 'a: !Insufficient cpu')
  assert.equal(verdict({ containers: [of('2')], initContainers: [of('2', { restartPolicy: 'Always' })] }), 'a: !Insufficient cpu')
  assert.equal(verdict({ containers: [of('2')], overhead: { cpu: '2' } }), 'a: !Insufficient cpu')
})

test('NodeResourcesFit: ignored resources and groups are left to extenders', () => {
  const context = clusterOf({ nodes: [node('a')] })
  const incoming = pod('p', { requests: 'example.com/x=1 other.com/y=1' })
  const args = { ignoredResources: ['example.com/x'], ignoredResourceGroups: ['other.com'] }
  assert.equal(verdictsOf(pluginOf(nodeResourcesFit, args), incoming, context), 'a: fits')
  assert.equal(verdictsOf(pluginOf(nodeResourcesFit), incoming, context), 'a: !Insufficient example.com/x; Insufficient other.com/y')
})

test('NodeResourcesFit: a resource that a device class offers is left to DynamicResources where the node has none', () => {
  const gpu: DeviceClass = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'gpu' },
    spec: { extendedResourceName: 'example.com/gpu' },
  }
  const nodes = [node('none'), node('full', { allocatable: 'cpu=1 example.com/gpu=1 pods=9' })]
  const placed = [pod('q', { requests: 'example.com/gpu=1', on: 'full' })]
  const context = clusterOf({ nodes, placed, objects: { deviceclasses: [gpu] } })
  const incoming = pod('p', { requests: 'example.com/gpu=1' })
  assert.equal(verdictsOf(pluginOf(nodeResourcesFit), incoming, context), 'none: fits, full: Insufficient example.com/gpu')
})

const shape = (...points: readonly (readonly [number, number])[]) => ({
  type: 'RequestedToCapacityRatio',
  requestedToCapacityRatio: { shape: points.map(([utilization, score]) => ({ utilization, score })) },
})
for (const [rule, scoringStrategy, expected] of [
  ['LeastAllocated prefers empty nodes', undefined, 'empty=75 half=49'],
  ['MostAllocated prefers full ones', { type: 'MostAllocated' }, 'empty=25 half=50'],
  [
    'weights count',
    {
      type: 'LeastAllocated',
      resources: [
        { name: 'cpu', weight: 3 },
        { name: 'memory', weight: 1 },
      ],
    },
    'empty=75 half=37',
  ],
  ['a resource alone', { type: 'MostAllocated', resources: [{ name: 'memory', weight: 1 }] }, 'empty=25 half=25'],
  ['a rising shape packs', shape([0, 0], [100, 10]), 'empty=25 half=50'],
  ['a falling shape spreads', shape([0, 10], [100, 0]), 'empty=75 half=50'],
] as const)
  test(`NodeResourcesFit scores: ${rule}`, () => {
    // The pod takes a quarter of each node. Of `half`, half of the processors are taken already, and one byte: without it the default
    // counts.
    const placed = [pod('q', { requests: 'cpu=2 memory=1', on: 'half' })]
    const context = clusterOf({ nodes: [node('empty'), node('half')], placed })
    const incoming = pod('p', { requests: 'cpu=1 memory=2Gi' })
    const got = scoresOf(pluginOf(nodeResourcesFit, scoringStrategy === undefined ? {} : { scoringStrategy }), incoming, context)
    assert.equal(got, expected)
  })

test('NodeResourcesBalancedAllocation: a pod scores higher where it evens out what is used', () => {
  const placed = [pod('q', { requests: 'cpu=2', on: 'cpu' }), pod('r', { requests: 'memory=4Gi', on: 'memory' })]
  const context = clusterOf({ nodes: [node('none'), node('cpu'), node('memory')], placed })
  const plugin = pluginOf(nodeResourcesBalancedAllocation)
  assert.equal(scoresOf(plugin, pod('p', { requests: 'cpu=1 memory=2Gi' }), context), 'none=75 cpu=75 memory=75')
  assert.equal(scoresOf(plugin, pod('p', { requests: 'memory=4Gi' }), context), 'none=62 cpu=87 memory=62')
  assert.equal(scoresOf(plugin, pod('p'), context), 'skipped')
})

test('ImageLocality: nodes that have the images score by size and by how many nodes have them', () => {
  const MIB = 1024 * 1024
  const has = (...images: readonly (readonly [string, number])[]) => ({
    status: { images: images.map(([name, mib]) => ({ names: [name], sizeBytes: mib * MIB })) },
  })
  const nodes = [node('both', has(['app:latest', 523], ['tool:1', 1000])), node('one', has(['app:latest', 523])), node('none')]
  const context = clusterOf({ nodes })
  const plugin = pluginOf(imageLocality)
  const scores = scoresOf(plugin, pod('p', { container: { image: 'app' } }), context)
  // (523 MiB × 2/3 of the nodes − 23) / (1000 − 23)
  assert.equal(scores, 'both=33 one=33 none=0')
  assert.equal(scoresOf(plugin, pod('p', { container: { image: 'unknown:2' } }), context), 'both=0 one=0 none=0')
  assert.equal(scoresOf(plugin, pod('p', { container: { image: 'tool:1' } }), context), 'both=31 one=0 none=0')
})
