import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { planClaims } from './ownership.ts'

const owner: KubeObject = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'r', uid: 'mine' } }
const object = (name: string, controller: string | undefined, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    labels: { match: name.startsWith('m') ? 'yes' : 'no' },
    ...(controller === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: controller, controller: true }] }),
    ...more,
  },
})
const matches = (o: KubeObject) => o.metadata.labels?.match === 'yes'
const names = (list: readonly KubeObject[]) => list.map((o) => o.metadata.name).join(' ')

test('an owner keeps its pods, adopts orphans, and releases those that no longer match', () => {
  const all = [
    object('mine1', 'mine'),
    object('x-left', 'mine'),
    object('m-free', undefined),
    object('x-free', undefined),
    object('m-other', 'other'),
  ]
  const plan = planClaims(owner, matches, all)
  assert.deepEqual([names(plan.owned), names(plan.adopt), names(plan.release)], ['mine1', 'm-free', 'x-left'])
})

test('neither an owner that ends takes anything, nor is taken what ends', () => {
  const ending = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: 'now' } }
  const plan = planClaims(ending, matches, [object('m-free', undefined), object('x-left', 'mine')])
  assert.deepEqual([names(plan.adopt), names(plan.release)], ['', ''])
  assert.equal(names(planClaims(owner, matches, [object('m-free', undefined, { deletionTimestamp: 'now' })]).adopt), '')
})
