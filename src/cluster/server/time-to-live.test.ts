import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinResources } from '../../resources/builtin.ts'
import { withTimeToLive } from './time-to-live.ts'

const HOUR = 3_600_000
const kept = (ttlMs: number | undefined) =>
  builtinResources()
    .map((definition) => [definition, withTimeToLive(definition, ttlMs)] as const)
    .filter(([before, after]) => before !== after)
    .map(([{ names, group }, { ttlMs: after }]) => `${group}/${names.plural} ${after}`)

test('only events expire, after the configured time or never', () => {
  assert.deepEqual(kept(HOUR), [])
  assert.deepEqual(
    kept(5000).map((text) => text.replace(/^.*\//, '')),
    kept(5000).map(() => 'events 5000'),
  )
  assert.ok(kept(5000).length > 0)
  assert.deepEqual(
    kept(undefined),
    kept(5000).map((text) => text.replace('5000', 'undefined')),
  )
})
