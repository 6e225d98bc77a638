import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../types/pod.ts'
import { heldBy, type PodEvent, PodTable } from './pod-table.ts'

const pod = (version: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: 'u', resourceVersion: version },
  spec: { containers: [] },
  status: {},
})

/** `arrived`, `admitted`, …; `refused+` and `found-ended+` are the events of a pod with leftovers. */
const event = (text: string): PodEvent => {
  const [name = '', more] = [text.replace('+', ''), text.endsWith('+')]
  const at = pod('1')
  if (name === 'arrived' || name === 'admitted' || name === 'changed') return { kind: name, pod: at }
  if (name === 'refused') return { kind: name, pod: at, running: more }
  if (name === 'found-ended') return { kind: name, pod: at, leftover: more }
  if (name === 'object-gone' || name === 'ended') return { kind: name }
  throw new Error(`no event ${text}`)
}

const after = (events: string) => {
  const table = new PodTable()
  let last: ReturnType<PodTable['apply']> = { before: undefined, after: undefined }
  for (const text of events.split(' ')) last = table.apply('u', event(text))
  return { table, entry: last.after, change: last }
}

for (const [events, kind, refused] of [
  ['arrived', 'arriving', false],
  ['arrived arrived', 'arriving', false],
  ['arrived object-gone', 'none', false],
  ['arrived ended', 'arriving', false],
  ['arrived found-ended', 'none', false],
  ['arrived found-ended+', 'leftover', false],
  ['arrived admitted', 'admitted', false],
  ['arrived admitted changed', 'admitted', false],
  ['arrived admitted arrived', 'admitted', false],
  ['arrived admitted ended', 'none', false],
  ['arrived admitted ended changed', 'none', false],
  ['arrived admitted object-gone', 'none', false],
  ['arrived admitted object-gone ended', 'none', false],
  ['arrived refused', 'refused', true],
  ['arrived refused ended', 'refused', true],
  ['arrived refused arrived', 'refused', true],
  ['arrived refused object-gone', 'none', false],
  ['arrived refused+', 'leftover', true],
  ['arrived refused+ ended', 'refused', true],
  ['arrived refused+ object-gone', 'none', false],
  ['arrived refused+ object-gone ended', 'none', false],
  ['arrived refused found-ended', 'refused', true],
  ['arrived refused found-ended+', 'leftover', true],
  ['found-ended+ ended', 'none', false],
] as const)
  test(`${events.replaceAll(' ', ', ')}: ${kind}`, () => {
    const { table, entry } = after(events)
    assert.equal(entry?.kind ?? 'none', kind)
    assert.deepEqual(
      {
        refused: table.isRefused('u'),
        admitted: table.isAdmitted('u'),
        count: table.count,
        counted: table.counted().length,
        arriving: [...table.arrivals()].length,
        holders: [...table.holders()].length,
      },
      {
        refused,
        admitted: kind === 'admitted',
        count: Number(kind === 'admitted'),
        counted: Number(kind === 'admitted'),
        arriving: Number(kind === 'arriving'),
        holders: Number(kind !== 'none' && kind !== 'refused'),
      },
    )
  })

for (const [events, released] of [
  ['arrived object-gone', false],
  ['arrived admitted object-gone', true],
  ['arrived admitted ended', true],
  ['arrived admitted object-gone ended', false],
  ['arrived refused+ ended', true],
  ['arrived refused object-gone', false],
] as const)
  test(`${events.replaceAll(' ', ', ')}: ${released ? 'its resources are released' : 'nothing is released'}`, () => {
    const { before, after: now } = after(events).change
    assert.equal(heldBy(before) !== undefined && heldBy(now) === undefined, released)
  })

test('pods wait in order of arrival, and a new version keeps the position', () => {
  const table = new PodTable()
  for (const uid of ['a', 'b', 'c', 'a']) table.apply(uid, { kind: 'arrived', pod: { ...pod('1'), metadata: { name: uid, uid } } })
  assert.deepEqual(
    [...table.arrivals()].map((p) => p.metadata.uid),
    ['a', 'b', 'c'],
  )
})

test('a version that came while a pod waits is the one that is admitted', () => {
  const table = new PodTable()
  table.apply('u', { kind: 'arrived', pod: pod('1') })
  table.apply('u', { kind: 'arrived', pod: pod('2') })
  assert.equal(table.arriving('u')?.metadata.resourceVersion, '2')
})
