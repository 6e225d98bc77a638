import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planPodGc } from './plan.ts'

/** `name@node phase`, with `!` if it is being deleted. */
function pod(text: string): Pod {
  const [, name = '', nodeName = '', phase = 'Running', deleted] = /^(\w+)@(\w*)(?: (\w+))?(!)?$/.exec(text) ?? []
  return sketch({
    metadata: { name, ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: nodeName === '' ? {} : { nodeName },
    status: { phase },
  })
}

for (const [what, text, outOfService, expected] of [
  ['runs on its node', 'p@a', false, 'stays'],
  ['is on a node that is gone', 'p@b', false, 'orphaned'],
  ['waits for a node', 'p@ Pending', false, 'stays'],
  ['was deleted before it had a node', 'p@ Pending!', false, 'ended'],
  ['ends on its node', 'p@a!', false, 'stays'],
  ['ends on a node that is out of service', 'p@a!', true, 'ended'],
  ['runs on a node that is out of service', 'p@a', true, 'stays'],
  ['has finished', 'p@a Succeeded', false, 'stays'],
] as const)
  test(`a pod that ${what}: ${expected}`, () => {
    const [stranded] = planPodGc({ pods: [pod(text)], nodes: new Set(['a']), outOfService: new Set(outOfService ? ['a'] : []) })
    assert.equal(stranded?.why ?? 'stays', expected)
  })

test('of finished pods beyond 12,500 the oldest are deleted', () => {
  const finished = Array.from(
    { length: 12_502 },
    (_, i): Pod =>
      sketch({
        metadata: { name: `${i}`, creationTimestamp: new Date(i * 1000).toISOString() },
        spec: { nodeName: 'a' },
        status: { phase: 'Failed' },
      }),
  )
  const stranded = planPodGc({ pods: finished.toReversed(), nodes: new Set(['a']), outOfService: new Set() })
  assert.deepEqual(
    stranded.map(({ pod: p, why }) => `${p.metadata.name} ${why}`),
    ['1 old', '0 old'],
  )
})
