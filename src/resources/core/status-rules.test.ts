import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition, RulesContext } from '../../machinery/resource/definition.ts'
import { persistentVolumeClaims } from './persistentvolumeclaims.ts'
import { pods } from './pods.ts'

function statusRulesOf(definition: ResourceDefinition) {
  const status = definition.subresources?.status
  assert.ok(status?.kind === 'status' && status.rules !== undefined)
  return status.rules
}

const CONTEXT = {} as RulesContext
const withStatus = (status: object): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, status })

for (const [status, fault] of [
  [{ capacity: { storage: '1Gi' } }, undefined],
  [{ capacity: { storage: '-1' } }, 'status.capacity[storage]'],
  [{ allocatedResources: { storage: '-1' } }, 'status.allocatedResources[storage]'],
  [{ allocatedResources: { cpu: '1' } }, 'status.allocatedResources'],
  [{ allocatedResourceStatuses: { storage: 'Done' } }, 'status.allocatedResourceStatuses'],
  [{ allocatedResourceStatuses: { 'x.io/y': 'NodeResizePending' } }, undefined],
] as const)
  test(`a claim with the status ${JSON.stringify(status)} is ${fault === undefined ? 'accepted' : 'refused'}`, () => {
    const faults = statusRulesOf(persistentVolumeClaims).validateUpdate?.(withStatus(status), withStatus({}), CONTEXT) ?? []
    assert.deepEqual(
      faults.map((f) => f.field),
      fault === undefined ? [] : [fault],
    )
  })

test('observed generations that a client leaves out of the status of a pod stay', () => {
  const draft = withStatus({ conditions: [{ type: 'Ready' }, { type: 'New' }, { type: 'Own', observedGeneration: 3 }] })
  const old = withStatus({
    observedGeneration: 7,
    conditions: [
      { type: 'Ready', observedGeneration: 5 },
      { type: 'Own', observedGeneration: 1 },
    ],
  })
  statusRulesOf(pods).prepareForUpdate?.(draft, old, CONTEXT)
  assert.deepEqual(draft.status, {
    observedGeneration: 7,
    conditions: [{ type: 'Ready', observedGeneration: 5 }, { type: 'New' }, { type: 'Own', observedGeneration: 3 }],
  })
})
