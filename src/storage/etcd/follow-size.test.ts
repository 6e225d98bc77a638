import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { followSize } from './follow-size.ts'
import { findEtcd, startRealEtcd } from './real-etcd.double.ts'

const found = findEtcd()
const skip = 'why' in found ? found.why : false
const program = 'program' in found ? found.program : ''

test('etcd: its size is reported at each interval, and missing while it is away', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  const stop = new AbortController()
  const sizes: (number | undefined)[] = []
  const seen = Promise.withResolvers<void>()
  const report = (sizeBytes: number | undefined) => {
    sizes.push(sizeBytes)
    if (sizes.length === 1) void etcd.kill()
    else if (sizeBytes === undefined) seen.resolve()
  }
  const tls = { ca: undefined, cert: undefined, key: undefined }
  const following = followSize({ urls: [etcd.url], tls, intervalMs: 20 }, { clock: systemClock, report }, stop.signal)
  await seen.promise
  stop.abort()
  await following
  assert.ok((sizes[0] ?? 0) > 0)
})
