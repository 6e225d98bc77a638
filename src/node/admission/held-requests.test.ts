import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodCondition } from '../../resources/types/core.ts'
import { heldRequests } from './held-requests.ts'

const conditions = (type: string, reason?: string): PodCondition[] => [{ type, status: 'True', ...(reason !== undefined && { reason }) }]

for (const [rule, shown, cpu] of [
  ['is allocated and not actuated holds what it was given', conditions('PodResizeInProgress'), '2'],
  ['has to wait holds what it had', conditions('PodResizePending', 'Deferred'), '1'],
  ['is impossible holds what it had', conditions('PodResizePending', 'Infeasible'), '1'],
] as const) {
  test(`a pod whose resize ${rule}`, () => {
    const spec = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }] }
    const had = { allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' } } }
    const container = { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, ...had }
    assert.equal(
      heldRequests({ spec, status: { conditions: [...shown], containerStatuses: [container] } })
        .get('cpu')
        ?.toString(),
      cpu,
    )
  })
}
