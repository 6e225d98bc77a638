/** The recorded requests to a kubelet's server, sent to ours: on a port, through the API server, and by kubectl. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../upstream.ts'
import { playGroups } from './kubelet-api/play.ts'
import type { Group } from './kubelet-api/recording.ts'

/** Recordings that this project made for cases without others. */
const own = path.join(import.meta.dirname, 'kubelet-api', 'recorded.json')

test('nor does it differ in the cases that this project recorded itself', async () => {
  const { groups } = JSON.parse(readFileSync(own, 'utf8')) as { groups: readonly Group[] }
  const results = await playGroups(groups)
  assert.deepEqual(
    results.filter((r) => r.differences.length > 0),
    [],
  )
})

test("the kubelet's server responds as the real kubelet did", async () => {
  const { groups } = JSON.parse(readFileSync(path.join(upstream, 'node', 'kubelet-api.json'), 'utf8')) as { groups: readonly Group[] }
  const results = await playGroups(groups)
  assert.deepEqual(
    results.filter((r) => r.differences.length > 0),
    [],
  )
  assert.ok(results.length > 200)
})
