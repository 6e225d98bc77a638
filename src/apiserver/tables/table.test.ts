import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { daemonSets } from '../../resources/apps/daemonsets.ts'
import { horizontalPodAutoscalers } from '../../resources/autoscaling/horizontalpodautoscalers.ts'
import { pods } from '../../resources/core/pods.ts'
import { partialMetadata, rowHead } from './table.ts'

const row = (phase: string) => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { phase } } satisfies KubeObject
  return rowHead([], pod, 0, pods)
}

test('the row of a completed pod has its condition, others have none', () => {
  assert.deepEqual(row('Running'), { cells: [] })
  assert.deepEqual(row('Failed').conditions, [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }])
  assert.equal(row('Succeeded').conditions?.[0]?.reason, 'Succeeded')
})

test('partial metadata has no annotation that is a field of the internal type', () => {
  const annotationsOf = (apiVersion: string, definition: typeof daemonSets, annotations: Record<string, string>) =>
    partialMetadata({ apiVersion, kind: 'Any', metadata: { name: 'a', annotations } }, 'v1', definition).metadata.annotations
  const generation = { 'deprecated.daemonset.template.generation': '1' }
  assert.equal(annotationsOf('apps/v1', daemonSets, generation), undefined)
  assert.deepEqual(annotationsOf('apps/v1', daemonSets, { ...generation, a: 'b' }), { a: 'b' })
  assert.equal(annotationsOf('autoscaling/v1', horizontalPodAutoscalers, { 'autoscaling.alpha.kubernetes.io/metrics': '[]' }), undefined)
})
