import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { type OwnerState, planGarbage, sameOwners } from './plan.ts'

/** `deleting:orphan,foregroundDeletion`; the finalizers are those of the object. */
function object(text: string, uid = 'me', blocks: readonly string[] = []): KubeObject {
  const [state, finalizers = ''] = text.split(':')
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      name: uid,
      uid,
      ...(state === 'deleting' && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ...(finalizers !== '' && { finalizers: finalizers.split(',') }),
      ownerReferences: blocks.map((owner) => ({ apiVersion: 'v1', kind: 'Thing', name: owner, uid: owner, blockOwnerDeletion: true })),
    },
  }
}
const owner = (state: OwnerState, i: number) => ({ ref: { apiVersion: 'v1', kind: 'Owner', name: `o${i}`, uid: `o${i}` }, state })

/** A plan in a word or two. */
function plan(me: string, owners: readonly OwnerState[], dependents: readonly KubeObject[] = []): string {
  const { kind, ...rest } = planGarbage({ object: object(me), owners: owners.map(owner), dependents })
  return [kind, ...Object.values(rest).map((v) => (Array.isArray(v) ? v.join('+') : String(v)))].join(' ')
}

const blocker = object('live', 'd1', ['me'])
const idle = object('live', 'd2')
const waiting = object('deleting:foregroundDeletion', 'd3', ['me'])

for (const [what, owners, dependents, expected] of [
  ['nobody owns it', [], [], 'keep'],
  ['its owner stands', ['solid'], [], 'keep'],
  ['its owner is gone', ['dangling'], [], 'delete Background'],
  ['one of two is gone', ['solid', 'dangling'], [], 'drop-owners o1'],
  ['one is gone, another cannot be looked up', ['dangling', 'unknown'], [], 'keep'],
  ['one of two waits', ['waiting', 'solid'], [], 'drop-owners o0'],
  ['its owner waits, it owns nothing', ['waiting'], [], 'delete Background'],
  ['its owner waits, it owns others', ['waiting'], [idle], 'delete Foreground'],
  ['its owner is gone, it owns others', ['dangling'], [idle], 'delete Background'],
  ['its owner waits for it, and one of its own waits in turn', ['waiting'], [waiting], 'delete Foreground true'],
] as const)
  test(`what becomes of an object by its owners: ${what}`, () => assert.equal(plan('live', owners, dependents), expected, what))

test('the finalizers of an object say how it is deleted', () => {
  assert.equal(plan('live:orphan', ['dangling']), 'delete Orphan')
  assert.equal(plan('live:foregroundDeletion', ['dangling']), 'delete Foreground')
})

test('what becomes of an object that is being deleted', () => {
  for (const [what, me, dependents, expected] of [
    ['in the background', 'deleting', [blocker], 'keep'],
    ['in the foreground, without dependents', 'deleting:foregroundDeletion', [], 'remove-finalizer foregroundDeletion'],
    ['in the foreground, none blocks', 'deleting:foregroundDeletion', [idle], 'remove-finalizer foregroundDeletion'],
    ['in the foreground, one blocks', 'deleting:foregroundDeletion', [blocker, idle], 'await-dependents d1+d2'],
    ['in the foreground, the one that blocks is on its way', 'deleting:foregroundDeletion', [waiting], 'await-dependents '],
    ['orphaning', 'deleting:orphan', [blocker], 'orphan-dependents d1'],
    ['orphaning comes before waiting', 'deleting:orphan,foregroundDeletion', [blocker], 'orphan-dependents d1'],
  ] as const)
    assert.equal(plan(me, ['dangling'], dependents), expected, what)
})

test('owners are the same when the same ones hold in the same way', () => {
  const loose = object('live', 'x', ['a'])
  loose.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Thing', name: 'a', uid: 'a' }]
  for (const [a, b, expected] of [
    [object('live'), object('live'), true],
    [object('live', 'x', ['a']), object('live', 'x', ['a']), true],
    [object('live', 'x', ['a']), object('live', 'x', ['a', 'b']), false],
    [object('live', 'x', ['a']), object('live', 'x', ['b']), false],
    [object('live', 'x', ['a']), loose, false],
  ] as const)
    assert.equal(sameOwners(a, b), expected)
})
