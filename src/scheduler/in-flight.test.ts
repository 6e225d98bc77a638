import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Logger, silentLogger } from '../base/logger.ts'
import { InFlight } from './in-flight.ts'

test('work is counted until it ends, and waiting for room ends with it', async () => {
  const inFlight = new InFlight(silentLogger)
  const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  inFlight.launch(one.promise)
  inFlight.launch(two.promise)
  let hasRoom = false
  const room = inFlight.fewerThan(2).then(() => {
    hasRoom = true
  })
  await Promise.resolve()
  assert.deepEqual([inFlight.size, hasRoom], [2, false])
  one.resolve()
  await room
  assert.equal(inFlight.size, 1)
  two.resolve()
  await inFlight.ended()
  assert.equal(inFlight.size, 0)
})

test('work that fails is logged, and holds up nothing', async () => {
  const logged: unknown[] = []
  const log: Logger = { ...silentLogger, error: (_message, fields) => logged.push(fields?.error) }
  const inFlight = new InFlight(log)
  const error = new Error('no')
  inFlight.launch(Promise.reject(error))
  await inFlight.ended()
  assert.deepEqual(logged, [error])
})
