import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../types/pod.ts'
import { compareResizes, type PendingResize } from './resize-order.ts'

interface Row {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly priority?: number
  readonly guaranteed?: true
  readonly since?: string
}

function pending({ name, from, to, priority, guaranteed, since }: Row): PendingResize {
  const pod = (cpu: string): Pod => {
    const amounts = { cpu, memory: '1Gi' }
    const resources = guaranteed ? { requests: amounts, limits: amounts } : { requests: amounts }
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'i', resources }], ...(priority !== undefined && { priority }) },
      status: since === undefined ? {} : { conditions: [{ type: 'PodResizePending', status: 'True', lastTransitionTime: since }] },
    }
  }
  return { pod: pod(to), given: pod(from) }
}

test('resizes that wait are tried by amount, priority, QoS class and time', () => {
  const rows: readonly Row[] = [
    { name: 'late', from: '1', to: '2', since: '2026-01-01T00:00:02Z' },
    { name: 'early', from: '1', to: '2', since: '2026-01-01T00:00:01Z' },
    { name: 'new', from: '1', to: '2' },
    { name: 'guaranteed', from: '1', to: '2', guaranteed: true },
    { name: 'important', from: '1', to: '2', priority: 10 },
    { name: 'smaller', from: '2', to: '1' },
  ]
  const order = rows.map(pending).sort(compareResizes)
  assert.deepEqual(
    order.map(({ pod }) => pod.metadata.name),
    ['smaller', 'important', 'guaranteed', 'early', 'late', 'new'],
  )
})
