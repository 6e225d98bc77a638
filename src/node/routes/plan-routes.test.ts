import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../resources/types/core.ts'
import { planRoutes, routesOf } from './plan-routes.ts'

const node = (name: string, podCIDRs: string[], ips: string[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { podCIDRs },
  status: { addresses: [{ type: 'Hostname', address: name }, ...ips.map((address) => ({ type: 'InternalIP' as const, address }))] },
})

test('the pods of each other node are reached by its address of the same family', () => {
  const nodes = [
    node('a', ['10.244.0.0/24'], ['192.0.2.11']),
    node('b', ['10.244.1.0/24', 'fd00:244:0:1::/64'], ['192.0.2.12', 'fd00:2::12']),
    node('c', ['10.244.2.0/24', 'fd00:244:0:2::/64'], ['192.0.2.13']),
    node('d', [], ['192.0.2.14']),
  ]
  assert.deepEqual(
    [...routesOf(nodes, 'a')],
    [
      ['10.244.1.0/24', '192.0.2.12'],
      ['fd00:244:0:1::/64', 'fd00:2::12'],
      ['10.244.2.0/24', '192.0.2.13'],
    ],
  )
})

test('a route that is right stays, one that leads elsewhere is replaced, one to a node that is gone is removed', () => {
  const wanted = new Map([
    ['10.244.1.0/24', '192.0.2.12'],
    ['10.244.2.0/24', '192.0.2.13'],
  ])
  const present = new Map([
    ['10.244.1.0/24', '192.0.2.12'],
    ['10.244.2.0/24', '192.0.2.99'],
    ['10.244.3.0/24', '192.0.2.14'],
  ])
  const { replace, remove } = planRoutes(wanted, present)
  assert.deepEqual([...replace], [['10.244.2.0/24', '192.0.2.13']])
  assert.deepEqual([...remove], [['10.244.3.0/24', '192.0.2.14']])
})
