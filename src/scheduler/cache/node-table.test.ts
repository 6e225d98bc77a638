import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Node, Pod } from '../../resources/types/core.ts'
import { node, pod } from '../plugins/plugin-table.double.ts'
import { amountOf, requestsOf } from './amounts.ts'
import { NodeTable } from './node-table.ts'
import { podInfo } from './pod-info.ts'

const NAMES = ['a', 'b', 'c']
const RESOURCES = ['cpu', 'memory', 'example.com/x']

const someNode = fc
  .record({
    name: fc.constantFrom(...NAMES),
    cpu: fc.constantFrom('1', '1500m', '4'),
    x: fc.constantFrom('', ' example.com/x=2', ' example.com/x=5'),
    cordoned: fc.boolean(),
    tainted: fc.boolean(),
    images: fc.subarray(['app:1', 'tool:2']),
  })
  .map(({ name, cpu, x, cordoned, tainted, images }) =>
    node(name, {
      allocatable: `cpu=${cpu} memory=1Gi pods=10${x}`,
      spec: { unschedulable: cordoned, ...(tainted && { taints: [{ key: 'k', effect: 'NoSchedule' as const }] }) },
      status: { images: images.map((image) => ({ names: [image], sizeBytes: 1000 })) },
    }),
  )
const somePod = fc
  .record({
    number: fc.integer({ min: 0, max: 5 }),
    on: fc.constantFrom(...NAMES),
    requests: fc.constantFrom('', 'cpu=500m', 'cpu=1 memory=1Mi', 'example.com/x=1'),
  })
  .map(({ number, on, requests }) => pod(`p${number}`, { on, requests, labels: number % 2 === 0 ? 'app=web' : '' }))
const step = fc.oneof(
  someNode.map((one) => ({ kind: 'set' as const, node: one })),
  fc.constantFrom(...NAMES).map((name) => ({ kind: 'remove' as const, name })),
  somePod.map((one) => ({ kind: 'pod' as const, pod: one })),
)

/** The cluster as plain maps, and the table that is to say the same. */
class Model {
  readonly table = new NodeTable()
  readonly nodes = new Map<string, Node>()
  readonly placed = new Map<string, { readonly pod: Pod; readonly info: ReturnType<typeof podInfo> }>()

  apply(change: typeof step extends fc.Arbitrary<infer T> ? T : never): void {
    if (change.kind === 'set') {
      this.nodes.set(change.node.metadata.name ?? '', change.node)
      this.table.setNode(change.node)
    } else if (change.kind === 'remove') {
      this.nodes.delete(change.name)
      this.table.removeNode(change.name)
    } else this.#toggle(change.pod)
  }

  /** A pod of this name leaves its node, or comes to one. */
  #toggle(one: Pod): void {
    const name = one.metadata.name ?? ''
    const there = this.placed.get(name)
    if (there !== undefined) {
      this.placed.delete(name)
      this.table.removePod(there.info, there.pod.spec.nodeName ?? '')
      return
    }
    const info = podInfo(one)
    this.placed.set(name, { pod: one, info })
    this.table.addPod(info, one.spec.nodeName ?? '')
  }

  podsOn(name: string): readonly Pod[] {
    return [...this.placed.values()].map((p) => p.pod).filter((p) => p.spec.nodeName === name)
  }
}

test('the columns say what nodes and pods say, whatever came and went', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const model = new Model()
      const { table } = model
      const web = table.counter('web', (info) => info.labels.app === 'web')
      for (const change of steps) model.apply(change)
      assert.equal(table.count, model.nodes.size)
      assert.equal(table.cordoned, [...model.nodes.values()].filter((n) => n.spec?.unschedulable === true).length)
      for (const name of NAMES) {
        const [row, known, pods] = [table.rowOf(name), model.nodes.get(name), model.podsOn(name)]
        assert.equal(row !== undefined, known !== undefined || pods.length > 0, 'a row is there for a node or for pods')
        if (row === undefined) continue
        assert.equal(table.alive[row], known === undefined ? 0 : 1)
        assert.equal(table.podCount[row], pods.length)
        assert.equal(web.counts[row] ?? 0, pods.filter((p) => p.metadata.labels?.app === 'web').length)
        for (const resource of RESOURCES) {
          const id = table.resourceId(resource)
          if (id === undefined) continue
          assert.equal(
            table.allocatable[id]?.[row],
            amountOf(resource, known?.status?.allocatable?.[resource] ?? 0),
            `allocatable ${resource}`,
          )
          assert.equal(
            table.used[id]?.[row],
            pods.reduce((sum, p) => sum + (requestsOf(p).get(resource) ?? 0), 0),
            `used ${resource}`,
          )
        }
        assert.deepEqual(table.taintSets[table.taintSet[row] ?? 0] ?? [], known?.spec?.taints ?? [])
      }
      for (const image of ['app:1', 'tool:2']) {
        const having = [...model.nodes.values()].filter((n) => n.status?.images?.some((i) => i.names?.includes(image)))
        assert.equal(table.image(image)?.rows.size ?? 0, having.length, `nodes with ${image}`)
      }
    }),
  )
})

test('the log names every row changed since a position, or that it does not reach back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.nat(30), (steps, cut) => {
      const model = new Model()
      for (const change of steps.slice(0, cut)) model.apply(change)
      const { table } = model
      const rows = () =>
        NAMES.map(
          (name) => [name, table.rowOf(name), table.podCount[table.rowOf(name) ?? -1], table.nodes[table.rowOf(name) ?? -1]] as const,
        )
      const [position, before] = [table.logEnd, rows()]
      for (const change of steps.slice(cut)) model.apply(change)
      const touched = new Set<number>()
      if (!table.forEachTouched(position, (row) => touched.add(row))) return
      for (const [i, [, row, count, object]] of rows().entries()) {
        const [, oldRow, oldCount, oldObject] = before[i] ?? []
        if (row !== undefined && row === oldRow && (count !== oldCount || object !== oldObject))
          assert.ok(touched.has(row), `row ${row} changed`)
      }
    }),
  )
})

test('columns grow with the nodes, and keep what they hold', () => {
  const table = new NodeTable()
  table.setNode(node('first', { allocatable: 'cpu=7 pods=3' }))
  const layout = table.layout
  for (let i = 0; i < 200; i++) table.setNode(node(`n${i}`))
  assert.ok(table.layout > layout, 'whoever holds arrays is told')
  assert.equal(table.allocatable[table.resourceId('cpu') ?? -1]?.[table.rowOf('first') ?? -1], 7000)
  assert.equal(table.count, 201)
})

test('a node whose images are equal, though another object, changes no image epoch', () => {
  const table = new NodeTable()
  const withImages = () => node('a', { status: { images: [{ names: ['app:1'], sizeBytes: 5 }] } })
  table.setNode(withImages())
  const epoch = table.imageEpoch
  table.setNode(withImages())
  assert.equal(table.imageEpoch, epoch)
  table.setNode(node('a'))
  assert.notEqual(table.imageEpoch, epoch)
})
