import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerState, ContainerStatus } from '../runtime.ts'
import { eventsBetween, type Listing } from './container-events.ts'

const container = (id: string, state: ContainerState): ContainerStatus => ({
  id,
  sandboxId: 's',
  pod: { uid: 'u', name: 'p', namespace: 'd' },
  name: 'main',
  attempt: 0,
  state,
  createdAtMs: 0,
  image: { name: '', id: '' },
  annotations: {},
  resources: {},
})
const listing = (...containers: readonly ContainerStatus[]): Listing => ({ sandboxes: [], containers })

const ROWS: readonly (readonly [rule: string, before: Listing, after: Listing, wanted: readonly string[]])[] = [
  ['nothing changed', listing(container('a', 'running')), listing(container('a', 'running')), []],
  ['one started', listing(container('a', 'created')), listing(container('a', 'running')), ['started a']],
  ['one came and ended in between', listing(), listing(container('a', 'exited')), ['created a', 'started a', 'died a']],
  ['one is unknown: it runs no more', listing(container('a', 'running')), listing(container('a', 'unknown')), ['died a']],
  ['one was removed', listing(container('a', 'exited')), listing(), ['removed a']],
]
for (const [rule, before, after, wanted] of ROWS)
  test(`two lists of containers are compared: ${rule}`, () =>
    assert.deepEqual(
      eventsBetween(before, after).map((e) => `${e.kind} ${e.containerId}`),
      wanted,
    ))
