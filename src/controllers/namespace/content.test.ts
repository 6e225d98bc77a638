import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { pod } from '../../testing/builders.ts'
import { deleteContent } from './content.ts'

const PODS = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  namespaced: true,
  preferred: true,
  verbs: ['list', 'delete', 'deletecollection'],
}

/** Pods that stay, whatever is deleted. */
function clientOf(pods: readonly Pod[]): Client {
  const client: Partial<Client> = {
    list: async () => ({ items: pods }) as never,
    deleteCollection: async () => ({}) as never,
  }
  return client as Client
}

for (const [elapsedMs, stuck] of [
  [29_000, 0],
  [31_000, 1],
] as const)
  test(`200,000 pods that remain after ${elapsedMs} ms of a grace period of 30 s`, async () => {
    const pods = Array<Pod>(200_000).fill({ ...pod('a'), spec: { ...pod('a').spec, terminationGracePeriodSeconds: 30 } })
    const content = await deleteContent(clientOf(pods), { name: 'x', elapsedMs }, { resources: [PODS], failed: new Map() } as never)
    assert.deepEqual(content.errors, [])
    assert.equal(content.stuck.length, stuck)
    assert.deepEqual([...content.remaining], [['pods.', 200_000]])
  })
