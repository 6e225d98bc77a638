import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { openStaticPods } from './open-static-pods.ts'

test('a node without sources of static pods knows all of them at once', async () => {
  const none = { paths: [], fileCheckMs: 1000, url: undefined, urlHeaders: {}, httpCheckMs: 1000 }
  const feed = openStaticPods(none, 'node-1', { clock: systemClock, log: silentLogger })
  const notified: unknown[] = []
  await feed.run((pods, complete) => notified.push({ pods, complete }), new AbortController().signal)
  assert.deepEqual(notified, [{ pods: [], complete: true }])
})
