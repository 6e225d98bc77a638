import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../resources/types/core.ts'
import type { ResourceClaim } from '../../resources/types/resource.ts'
import { sketch } from '../frame/sketch.double.ts'
import { claimFor, planClaim, planPodClaims } from './plan.ts'

const pod = (statuses: readonly object[] = []): Pod =>
  sketch({
    metadata: { name: 'p', namespace: 'n', uid: 'u' },
    spec: {
      resourceClaims: [
        { name: 'made', resourceClaimTemplateName: 't' },
        { name: 'named', resourceClaimName: 'c' },
      ],
    },
    status: { resourceClaimStatuses: statuses },
  })

test('the claim of a pod is in its namespace, and owned by it', () => {
  const claim = claimFor(pod(), { name: 'made', resourceClaimTemplateName: 't' }, sketch({ spec: { spec: { devices: {} } } }))
  assert.equal(claim.metadata.namespace, 'n')
  assert.equal(claim.metadata.generateName, 'p-made-')
  assert.equal(claim.metadata.ownerReferences?.[0]?.uid, 'u')
})

const owned = (uid: string): ResourceClaim => sketch({ metadata: { name: 'x', ownerReferences: [{ uid, controller: true }] } })
for (const [what, status, claim, missing] of [
  ['was not created yet', undefined, undefined, ['made']],
  ['exists', { name: 'made', resourceClaimName: 'x' }, owned('u'), []],
  ['was deleted', { name: 'made', resourceClaimName: 'x' }, undefined, ['made']],
  ['belongs to another pod', { name: 'made', resourceClaimName: 'x' }, owned('another'), ['made']],
  ['is not needed', { name: 'made' }, undefined, []],
] as const)
  test(`a claim from a template that ${what} is ${missing.length > 0 ? 'created' : 'left alone'}`, () => {
    const plan = planPodClaims(pod(status === undefined ? [] : [status]), () => claim)
    assert.deepEqual(
      plan.missing.map((entry) => entry.name),
      missing,
    )
  })

const FINALIZER = 'resource.kubernetes.io/delete-protection'
const claim = (users: readonly string[], deleted = false): ResourceClaim =>
  sketch({
    metadata: { finalizers: [FINALIZER], ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    status: { allocation: {}, reservedFor: users.map((uid) => ({ resource: 'pods', name: uid, uid })) },
  })
for (const [what, of, alive, owner, expected] of [
  ['its pod runs', claim(['a']), ['a'], 'alive', 'keep'],
  ['its last pod is done', claim(['a']), [], 'alive', 'reserve 0 deallocate'],
  ['one of two pods is done', claim(['a', 'b']), ['b'], 'alive', 'reserve 1'],
  ['it was not used yet', claim([]), [], 'alive', 'keep'],
  ['it was not used, and the pod it was created for is done', claim([]), [], 'done', 'delete'],
  ['it is deleted', claim([], true), [], 'unknown', 'reserve 0 deallocate'],
] as const)
  test(`a claim when ${what}: ${expected}`, () => {
    const plan = planClaim(of, (uid) => (alive.some((a) => a === uid) ? 'alive' : 'done'), owner)
    const shown = plan.kind === 'reserve' ? `reserve ${plan.reservedFor.length}${plan.deallocate ? ' deallocate' : ''}` : plan.kind
    assert.equal(shown, expected)
  })
