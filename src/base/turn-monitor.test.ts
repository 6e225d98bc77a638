import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { monitorTurns } from './turn-monitor.ts'

test('a turn that takes long is measured, and forgotten when the monitor is reset', async () => {
  using monitor = monitorTurns()
  await systemClock.sleep(40)
  const began = systemClock.monotonic()
  while (systemClock.monotonic() - began < 200);
  await systemClock.sleep(40)
  assert.ok(monitor.longestMs > 150, `${monitor.longestMs}`)
  assert.ok(monitor.longestCpuMs <= monitor.longestMs)
  assert.ok(monitor.longestCpuMs > 0)
  assert.ok(monitor.long >= 1)
  monitor.reset()
  assert.equal(monitor.longestMs, 0)
  assert.equal(monitor.long, 0)
})
