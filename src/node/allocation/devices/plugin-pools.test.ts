import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { silentLogger } from '../../../base/logger.ts'
import { createDeviceMetrics } from './device-metrics.ts'
import { PluginDouble } from './plugin-connection.double.ts'
import { MOST_RESOURCES, PluginPools, RegistrationError } from './plugin-pools.ts'
import { GRACE_MS } from './resource-pool.ts'

function open() {
  const clock = new VirtualClock()
  const warnings: string[] = []
  const counts = { grown: 0 }
  const pools = new PluginPools({
    clock,
    log: silentLogger,
    metrics: createDeviceMetrics(),
    warn: (reason) => void warnings.push(reason),
    grown: () => void counts.grown++,
    turned: () => {},
  })
  return { clock, pools, warnings, counts }
}

test('a node takes so many resources and no more; those that it knows are taken again', async () => {
  const { pools } = open()
  for (let i = 0; i < MOST_RESOURCES; i++) pools.open(`example.com/r${i}`)
  assert.throws(
    () => pools.check('example.com/more', ['v1beta1']),
    (error) => error instanceof RegistrationError && /1024 resources of plugins already/.test(error.message),
  )
  pools.check('example.com/r7', ['v1beta1'])
  await pools[Symbol.asyncDispose]()
})

test('a plugin that restarts in a loop is read slowly, and leaves one timer', async () => {
  const { clock, pools, warnings, counts } = open()
  for (let i = 0; i < 200; i++) {
    const plugin = new PluginDouble(['a'])
    await pools.register('example.com/loop', plugin.connection())
    await clock.advance(1)
    plugin.kill()
    await clock.advance(1)
  }
  assert.ok(warnings.includes('DevicePluginFloods'))
  assert.equal(pools.capacity()['example.com/loop'], '1')
  const before = counts.grown
  await clock.advance(GRACE_MS + 60_000)
  assert.equal(pools.capacity()['example.com/loop'], '0')
  assert.ok(counts.grown - before <= 5, `${counts.grown - before} times`)
  await pools[Symbol.asyncDispose]()
})
