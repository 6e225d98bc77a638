import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import plugin from '../../../test/scheduler/scheduler-plugins/one-per-group.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { PluginNode } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'
import { compare } from './external-queue.ts'
import { filter, victims } from './plugin-filter.ts'

const pod = (uid: string, labels: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, uid, labels },
  spec: { containers: [] },
})
const nodeWith = (pods: readonly Pod[]): PluginNode => ({
  name: 'n',
  node: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
  pods,
})
const tools = { args: {} }

test('PreFilter rejects a pod everywhere, or leaves it some nodes; its state is there for Filter', async () => {
  const node = nodeWith([pod('a', { group: 'g' })])
  assert.deepEqual(await filter(plugin, pod('new', { group: 'banned' }), [node], tools), [
    ['n', { reason: 'the group is banned', unresolvable: true }],
  ])
  assert.equal((await filter(plugin, pod('new', { only: 'other' }), [node], tools)).length, 1)
  assert.deepEqual(await filter(plugin, pod('new', { group: 'g' }), [node], tools), [['n', 'node(s) had a pod of the group']])
  assert.deepEqual(await filter(plugin, pod('new', { group: 'h' }), [node], tools), [])
})

test('victims: what leaves the node is enough for the plugin, none too many, and holds those that have to leave anyway', async () => {
  const group = fc.constantFrom('g', 'h', undefined)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ group, lower: fc.boolean(), required: fc.boolean() }), { maxLength: 8 }), async (others) => {
      const pods = others.map((o, i) => pod(`p${i}`, o.group === undefined ? {} : { group: o.group }))
      const uids = (which: (o: (typeof others)[number]) => boolean) => others.flatMap((o, i) => (which(o) ? [`p${i}`] : []))
      const lower = uids((o) => o.lower)
      const required = uids((o) => o.lower && o.required)
      const found = await victims(plugin, pod('new', { group: 'g' }), { node: nodeWith(pods), lower, required }, tools)
      const blocked = others.some((o) => !o.lower && o.group === 'g')
      if (blocked) assert.equal(found, null)
      else
        assert.deepEqual(
          found,
          uids((o) => o.lower && (o.required || o.group === 'g')),
        )
    }),
  )
})

test('keys of all kinds are in a total order', () => {
  const item = fc.oneof(fc.integer(), fc.double(), fc.string())
  const key = fc.oneof(item, fc.array(item, { maxLength: 3 }), fc.constant(undefined))
  fc.assert(
    fc.property(key, key, key, (a, b, c) => {
      assert.equal(Math.sign(compare(a, b)) + Math.sign(compare(b, a)), 0)
      assert.equal(compare(a, a), 0)
      if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.ok(compare(a, c) <= 0)
    }),
  )
})
