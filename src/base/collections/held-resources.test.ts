import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldResources } from './held-resources.ts'

test('everything is let go in reverse order, whatever fails on the way, and once', async () => {
  const log: string[] = []
  const held = new HeldResources()
  held.use({ [Symbol.asyncDispose]: async () => void log.push('first') })
  held.defer(() => {
    log.push('second')
    throw new Error('stuck')
  })
  held.defer(async () => log.push('third'))
  await assert.rejects(held[Symbol.asyncDispose](), /stuck/)
  await held[Symbol.asyncDispose]()
  assert.deepEqual(log, ['third', 'second', 'first'])
})

test('what was handed over is the business of somebody else', async () => {
  const log: string[] = []
  const held = new HeldResources()
  held.defer(() => log.push('gone'))
  const moved = held.move()
  await held[Symbol.asyncDispose]()
  assert.deepEqual(log, [])
  await moved[Symbol.asyncDispose]()
  assert.deepEqual(log, ['gone'])
})
