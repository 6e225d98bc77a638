import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import { shapedNodes } from './node-shapes.ts'

const shaped = (...shapes: readonly unknown[]) => shapedNodes(shapes as readonly JsonObject[], { plain: 2, most: 10 })
const namesOf = (...shapes: readonly unknown[]) => shaped(...shapes).map(({ name }) => name)

test('a shape with a name is that node, or several with numbers; one without continues the plain nodes', () => {
  assert.deepEqual(namesOf({ name: 'big' }, { name: 'small', count: 2 }, { count: 2 }), ['big', 'small-1', 'small-2', 'node-6', 'node-7'])
  assert.deepEqual(namesOf({ name: 'big', count: 0 }), [])
})

test('amounts may be numbers; what is absent stays as the other nodes have it', () => {
  assert.deepEqual(shaped({ name: 'a', cpu: 64, memory: '1Ti', resources: { 'example.com/gpu': 8 } })[0]?.shape, {
    cpu: '64',
    memory: '1Ti',
    resources: { 'example.com/gpu': '8' },
  })
})

const FAULTS: readonly (readonly [shape: unknown, message: string])[] = [
  ['big', 'nodeShapes[0]: give a map'],
  [
    { size: 3 },
    'nodeShapes[0].size: there is no such field; there are name, count, cpu, memory, ephemeralStorage, pods, resources, labels, taints',
  ],
  [{ count: 1.5 }, 'nodeShapes[0].count: give a whole number'],
  [{ count: 11 }, 'nodeShapes[0]: a cluster has at most 10 nodes'],
  [{ name: 'Big!' }, 'nodeShapes[0].name: give the name of a node: letters, digits, "-" and "."'],
  [{ name: 'node-1' }, 'nodeShapes[0]: there are two nodes node-1'],
  [{ cpu: 'many' }, 'nodeShapes[0].cpu: give an amount such as 64 or 256Gi'],
  [{ memory: '-1Gi' }, 'nodeShapes[0].memory: give an amount such as 64 or 256Gi'],
  [{ resources: { cpu: 1 } }, 'nodeShapes[0].resources: "cpu" is no name such as example.com/dongle'],
  [{ labels: { zone: 3 } }, 'nodeShapes[0].labels["zone"]: 3 is no value of a label'],
  [{ labels: ['zone'] }, 'nodeShapes[0].labels: give a map'],
  [{ taints: {} }, 'nodeShapes[0].taints: give a list'],
  [{ taints: [{ key: 'gpu' }] }, 'nodeShapes[0].taints[0].effect: give one of NoSchedule, PreferNoSchedule, NoExecute'],
  [{ taints: [{ key: '', effect: 'NoSchedule' }] }, 'nodeShapes[0].taints[0].key: give the key of a taint'],
  [{ taints: [{ key: 'a', effect: 'NoSchedule', since: 1 }] }, 'nodeShapes[0].taints[0].since: there is no such field'],
]
for (const [shape, message] of FAULTS)
  test(`refused: ${JSON.stringify(shape)}`, () => assert.throws(() => shaped(shape), { name: 'NodeShapeError', message }))
