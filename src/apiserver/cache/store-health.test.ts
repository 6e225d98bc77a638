import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { StoreHealth } from './store-health.ts'

/** A store whose answers the test gives. */
function healthDouble() {
  const clock = new VirtualClock()
  const asked: PromiseWithResolvers<number>[] = []
  const latest = () => {
    const answer = Promise.withResolvers<number>()
    asked.push(answer)
    return answer.promise
  }
  return { clock, asked, health: new StoreHealth({ latest }, clock, 1000) }
}

test('a store that answers is healthy, one that fails is not', async () => {
  const { asked, health } = healthDouble()
  const first = health.responds()
  asked[0]?.resolve(7)
  assert.equal(await first, true)
  const second = health.responds()
  asked[1]?.reject(new Error('gone'))
  assert.equal(await second, false)
})

test('a store that does not answer in time is not healthy', async () => {
  const { clock, asked, health } = healthDouble()
  const check = health.responds()
  await clock.advance(1000)
  assert.equal(await check, false)
  asked[0]?.resolve(7)
})

test('checks at once share one request, later ones make a new one', async () => {
  const { asked, health } = healthDouble()
  const checks = [health.responds(), health.responds()]
  assert.equal(asked.length, 1)
  asked[0]?.resolve(7)
  assert.deepEqual(await Promise.all(checks), [true, true])
  void health.responds()
  assert.equal(asked.length, 2)
  asked[1]?.resolve(7)
})
