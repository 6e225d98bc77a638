/** The recorded facts of device plugins under the real kubelet, played on a simulated node: real sockets, the recording's plugin. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../upstream.ts'
import type { Fact } from './device-stories/compare-facts.ts'
import { playDevices } from './device-stories/play-devices.ts'

test('plugins register, serve, fail, go and come back as they do under the kubelet', async () => {
  const facts = JSON.parse(readFileSync(path.join(upstream, 'node', 'devices.json'), 'utf8')) as readonly Fact[]
  const known = readFileSync(path.join(import.meta.dirname, 'device-stories', 'known-differences.txt'), 'utf8').split('\n')
  const results = await playDevices(facts)
  const failed = results.filter((r) => r.differences.length > 0)
  const expected = facts.map((f) => f.fact).filter((name) => known.some((line) => line.startsWith(`${name}: `)))
  assert.deepEqual(
    failed.map((r) => r.fact),
    expected,
    JSON.stringify(failed, undefined, 1),
  )
})
