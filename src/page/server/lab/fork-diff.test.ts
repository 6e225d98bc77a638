import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { forkDifferences } from './fork-diff.ts'

const NODES = { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false, shortNames: [] }

const node = (heardAt: string, ready: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-1', uid: 'u' },
  status: { conditions: [{ type: 'Ready', status: ready, lastHeartbeatTime: heardAt }] },
})
const clientOf = (object: KubeObject) => ({ list: async () => ({ items: [object] }) }) as unknown as Client
const differences = (here: KubeObject, there: KubeObject) => forkDifferences(clientOf(here), clientOf(there), [NODES])

test('a heartbeat is no difference of a fork, and is not shown beside one', async () => {
  assert.deepEqual(await differences(node('1', 'True'), node('2', 'True')), [])
  const [only] = await differences(node('1', 'True'), node('2', 'False'))
  assert.equal(only?.change, 'different')
  assert.ok(!only.diff.includes('lastHeartbeatTime'), only.diff)
})
