import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { watchCacheDouble } from '../../apiserver/cache/watch-cache.double.ts'
import { listObjects, onChangeOf } from '../../resources/read-objects.ts'
import { PODS } from '../../resources/refs.ts'
import type { Pod, PodPhase } from '../../resources/types/core.ts'
import { createNodeBookings } from './node-bookings.ts'

const pod = (name: string, nodeName = '', phase: PodPhase = 'Pending'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'a', uid: name },
  spec: { nodeName, containers: [] },
  status: { phase },
})

function world(...pods: readonly Pod[]) {
  const cache = watchCacheDouble()
  cache.put('', 'pods', ...pods)
  const bookings = createNodeBookings(cache.reader, (listener) => onChangeOf(cache, PODS, listener))
  return { cache, bookings, on: (node: string) => bookings.on(node).map((p) => p.metadata.name) }
}

const rows: readonly (readonly [rule: string, pods: readonly Pod[], onNode: readonly string[]])[] = [
  ['a pod that is bound takes something', [pod('p', 'n')], ['p']],
  ['one that is not bound takes nothing', [pod('p')], []],
  ['one on another node takes nothing here', [pod('p', 'm')], []],
  ['one that runs takes something', [pod('p', 'n', 'Running')], ['p']],
  ['one that succeeded has given it back', [pod('p', 'n', 'Succeeded')], []],
  ['so has one that failed', [pod('p', 'n', 'Failed')], []],
  ['one of which nobody knows takes something', [pod('p', 'n', 'Unknown')], ['p']],
  ['several pods are all there', [pod('p', 'n'), pod('q', 'n'), pod('r', 'm')], ['p', 'q']],
]
for (const [rule, pods, expected] of rows) {
  test(`${rule}, when it was there before`, () => assert.deepEqual(world(...pods).on('n'), expected))
  test(`${rule}, when it comes later`, () => {
    const { cache, on } = world()
    cache.put('', 'pods', ...pods)
    assert.deepEqual(on('n'), expected)
  })
}

test('what is on a node is what a look at all pods finds, after any changes', () => {
  const change = fc.record({
    name: fc.constantFrom('p', 'q', 'r'),
    node: fc.constantFrom('', 'n', 'm'),
    phase: fc.constantFrom<PodPhase>('Pending', 'Running', 'Succeeded', 'Failed'),
    gone: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const { cache, on } = world()
      for (const { name, node, phase, gone } of changes) {
        if (gone) cache.remove('', 'pods', name, 'a')
        else cache.put('', 'pods', pod(name, node, phase))
      }
      for (const node of ['n', 'm']) {
        const takes = (p: Pod) => p.spec?.nodeName === node && p.status?.phase !== 'Succeeded' && p.status?.phase !== 'Failed'
        const expected = listObjects(cache.reader, PODS).filter(takes)
        assert.deepEqual(on(node).sort(), expected.map((p) => p.metadata.name).sort())
      }
    }),
  )
})

test('work on one node is done one after the other, in the order in which it came', async () => {
  const { bookings } = world()
  const log: string[] = []
  const gates = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const works = gates.map((gate, i) =>
    bookings.alone('n', async () => {
      log.push(`start ${i}`)
      await gate.promise
      log.push(`end ${i}`)
      return i
    }),
  )
  for (const gate of gates.toReversed()) gate.resolve()
  assert.deepEqual(await Promise.all(works), [0, 1, 2])
  assert.deepEqual(log, ['start 0', 'end 0', 'start 1', 'end 1', 'start 2', 'end 2'])
})

test('work on another node does not wait', async () => {
  const { bookings } = world()
  const gate = Promise.withResolvers<void>()
  const first = bookings.alone('n', () => gate.promise)
  assert.equal(await bookings.alone('m', async () => 'done'), 'done')
  gate.resolve()
  await first
})

test('a failure of work is its caller’s, and the next work runs', async () => {
  const { bookings } = world()
  const failing = bookings.alone('n', async () => {
    throw new Error('no room')
  })
  const next = bookings.alone('n', async () => 'next')
  await assert.rejects(failing, /no room/)
  assert.equal(await next, 'next')
})
