import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKubeObject } from '../../machinery/object.ts'
import { convertEvents } from './convert.ts'

const metadata = { name: 'e', namespace: 'default' }
const core = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata,
  message: 'm',
  involvedObject: { kind: 'Pod' },
  reportingComponent: 'c',
  reportingInstance: 'i',
  source: { component: 'k' },
  firstTimestamp: 'f',
  lastTimestamp: 'l',
  count: 2,
  reason: 'R',
  type: 'Normal',
}
const newer = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata,
  note: 'm',
  regarding: { kind: 'Pod' },
  reportingController: 'c',
  reportingInstance: 'i',
  deprecatedSource: { component: 'k' },
  deprecatedFirstTimestamp: 'f',
  deprecatedLastTimestamp: 'l',
  deprecatedCount: 2,
  reason: 'R',
  type: 'Normal',
}

test('an event has the same content in both groups', () => {
  assert.deepEqual(convertEvents([asKubeObject(core)], 'events.k8s.io/v1'), [newer])
  assert.deepEqual(convertEvents([asKubeObject(newer)], 'v1'), [core])
  const [back] = convertEvents([asKubeObject(core)], 'events.k8s.io/v1')
  const names = ['kind', 'apiVersion', 'metadata', 'reportingController', 'reportingInstance', 'reason', 'regarding', 'note', 'type']
  assert.deepEqual(Object.keys(back ?? {}).slice(0, names.length), names)
})

test('an event that is of the group already is the same object', () => {
  for (const event of [asKubeObject(core), asKubeObject(newer)]) assert.equal(convertEvents([event], event.apiVersion)[0], event)
})

test('who reports is always written in the core group, and only when known in the other', () => {
  const bare = { kind: 'Event', metadata }
  const empty = { ...bare, apiVersion: 'v1', reportingComponent: '', reportingInstance: '' }
  assert.deepEqual(convertEvents([asKubeObject({ ...bare, apiVersion: 'events.k8s.io/v1' })], 'v1'), [empty])
  assert.deepEqual(convertEvents([asKubeObject(empty)], 'events.k8s.io/v1'), [{ ...bare, apiVersion: 'events.k8s.io/v1' }])
})
