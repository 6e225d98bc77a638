import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Quantity } from '../../machinery/quantity.ts'
import { podRequests } from '../../resources/pod/pod-requests.ts'
import { containerStatus } from '../types/pod.double.ts'
import type { Pod } from '../types/pod.ts'
import { PodTable } from './pod-table.ts'

const cpu = fc.constantFrom('100m', '0.25', '1', '2')
const condition = fc.constantFrom<NonNullable<Pod['status']['conditions']>>(
  [],
  [{ type: 'Ready', status: 'True' }],
  [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
  [{ type: 'PodResizeInProgress', status: 'True' }],
)
/** A pod that appears, is resized, gets another status, or disappears. */
const change = fc.record({
  uid: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom('resized', 'told', 'gone', 'asked'),
  asks: cpu,
  holds: fc.option(cpu, { nil: undefined }),
  condition,
})

test('the sum equals that of the current pods after any sequence of changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const taken = new PodTable()
      const pods = new Map<string, Pod>()
      let generation = 0
      for (const { uid, kind, asks, holds, condition: conditions } of changes) {
        const old = pods.get(uid)
        if (kind === 'gone') {
          pods.delete(uid)
          taken.apply(uid, { kind: 'ended' })
        } else if (kind !== 'asked') {
          // A spec's requests change with its generation only. What the pod holds above them was requested in an earlier generation and is
          // being released.
          const fresh = old === undefined || kind === 'resized'
          const resources = fresh ? { requests: { cpu: asks } } : old.spec.containers[0]?.resources
          const pod = {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: uid, uid, generation: fresh ? ++generation : old.metadata.generation },
            spec: { containers: [{ name: 'main', image: 'app', ...(resources && { resources }) }] },
            status: {
              conditions: holds === undefined ? conditions.filter((c) => c.type === 'Ready') : conditions,
              ...(holds !== undefined && conditions.some((c) => c.type !== 'Ready')
                ? { containerStatuses: [containerStatus({ allocatedResources: { cpu: holds }, resources: { requests: { cpu: holds } } })] }
                : {}),
            },
          } as Pod
          pods.set(uid, pod)
          taken.apply(uid, { kind: old === undefined ? 'admitted' : 'changed', pod })
        }
        const wanted = [...pods.values()].reduce(
          (sum, p) => sum.add(podRequests(p.spec, { status: p.status }).get('cpu') ?? Quantity.zero),
          Quantity.zero,
        )
        assert.equal(taken.requested('cpu').compare(wanted), 0)
        assert.equal(taken.count, pods.size)
      }
    }),
  )
})
