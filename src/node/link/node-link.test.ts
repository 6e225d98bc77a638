import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiCall, Transport } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import type { Node } from '../../resources/types/core.ts'
import type { NodeFeed, NodeFollower } from '../feed.ts'
import { podDouble } from '../types/pod.double.ts'
import { NodeLink } from './node-link.ts'

const node = (cut: boolean): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', annotations: cut ? { [simulatedKey('unreachable')]: 'true' } : {} },
})
const pod = (uid: string, version: number) => podDouble({ metadata: { uid, resourceVersion: String(version) } })
const CALL: ApiCall = { verb: 'get', query: {}, target: { group: '', version: 'v1', resource: 'nodes', name: 'n' } }

function open() {
  const heard: string[] = []
  const turns: boolean[] = []
  let notify: NodeFollower | undefined
  const feed: NodeFeed = {
    synced: Promise.resolve(),
    pod: () => undefined,
    services: () => [],
    follow: (_, follower) => {
      notify = follower
      return () => {}
    },
  }
  const link = new NodeLink((cut) => turns.push(cut))
  link.feed(feed).follow('n', {
    node: () => heard.push('node'),
    pod: (p) => heard.push(`pod ${p.metadata.uid} ${p.metadata.resourceVersion}`),
    podGone: (p) => heard.push(`gone ${p.metadata.uid}`),
  })
  if (notify === undefined) throw new Error('nobody follows')
  return { heard, turns, link, notify }
}

test('a node that is cut off hears of nothing, and afterwards of what each pod is by then', () => {
  const { heard, turns, notify } = open()
  notify.node(node(false))
  notify.pod(pod('a', 1))
  notify.node(node(true))
  notify.pod(pod('a', 2))
  notify.pod(pod('a', 3))
  notify.pod(pod('b', 4))
  notify.podGone(pod('b', 4))
  notify.node(node(true))
  assert.deepEqual(heard, ['node', 'pod a 1'])
  notify.node(node(false))
  notify.pod(pod('a', 5))
  assert.deepEqual(heard.slice(2), ['node', 'pod a 3', 'gone b', 'pod a 5'])
  assert.deepEqual(turns, [true, false])
})

test('its calls fail, also those that were under way; its watches break', async () => {
  const { link, notify } = open()
  let answer = (_: KubeObject) => {}
  let done = 0
  const inner: Transport = {
    connect: (() => assert.fail('nobody connects')) as unknown as Transport['connect'],
    page: () => assert.fail('nobody asks for pages'),
    call: () => {
      done++
      return new Promise((resolve) => {
        answer = resolve
      })
    },
    async *watch() {
      yield [{ type: 'ADDED', object: node(false) }]
      notify.node(node(true))
      yield [{ type: 'MODIFIED', object: node(false) }]
    },
  }
  const way = link.transport(inner)
  notify.node(node(false))
  const under = way.call(CALL)
  notify.node(node(true))
  answer(node(false))
  await assert.rejects(under, { message: /no route to host/ })
  await assert.rejects(way.call(CALL), { message: /no route to host/ })
  assert.equal(done, 1)
  notify.node(node(false))
  const events: string[] = []
  const watch = async () => {
    for await (const [first] of way.watch(CALL)) events.push(first?.type ?? '')
  }
  await assert.rejects(watch(), { message: /no route to host/ })
  assert.deepEqual(events, ['ADDED'])
})
