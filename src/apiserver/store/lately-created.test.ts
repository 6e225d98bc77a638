import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { pods } from '../../resources/core/pods.ts'
import { services } from '../../resources/core/services.ts'
import { LatelyCreated } from './lately-created.ts'

const pod = (name: string, ...owners: readonly string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ownerReferences: owners.map((uid) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid })) },
})

const likeOf = (lately: LatelyCreated, ...owners: readonly string[]) => lately.like(pods, pod('new', ...owners))?.metadata.name

test('a new object is like the last one of its owner; of an unknown owner, like the last one of all', () => {
  const lately = new LatelyCreated()
  assert.equal(likeOf(lately, 'a'), undefined)
  for (const [name, owner] of [
    ['a-1', 'a'],
    ['b-1', 'b'],
    ['a-2', 'a'],
    ['b-2', 'b'],
  ] as const)
    lately.note(pods, pod(name, owner))
  assert.equal(likeOf(lately, 'a'), 'a-2')
  assert.equal(likeOf(lately, 'b'), 'b-2')
  assert.equal(likeOf(lately, 'c'), 'b-2')
  assert.equal(likeOf(lately), 'b-2')
  lately.note(pods, pod('bare'))
  assert.equal(likeOf(lately), 'bare')
  assert.equal(likeOf(lately, 'a'), 'a-2')
  assert.equal(lately.like(services, pod('new', 'a')), undefined)
})

test('of many owners those that made nothing for longest are forgotten', () => {
  const lately = new LatelyCreated()
  for (let i = 0; i < 40; i++) {
    lately.note(pods, pod(`busy-${i}`, 'busy'))
    lately.note(pods, pod(`pod-${i}`, `owner-${i}`))
  }
  assert.equal(likeOf(lately, 'busy'), 'busy-39')
  assert.equal(likeOf(lately, 'owner-38'), 'pod-38')
  assert.equal(likeOf(lately, 'owner-3'), 'pod-39')
})
