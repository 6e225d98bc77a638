import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { pods } from '../../resources/core/pods.ts'
import { rowHead } from './table.ts'

const row = (phase: string) => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { phase } } satisfies KubeObject
  return rowHead([], pod, 0, pods)
}

test('the row of a completed pod has its condition, others have none', () => {
  assert.deepEqual(row('Running'), { cells: [] })
  assert.deepEqual(row('Failed').conditions, [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }])
  assert.equal(row('Succeeded').conditions?.[0]?.reason, 'Succeeded')
})
