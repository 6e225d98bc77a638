import assert from 'node:assert/strict'
import { test } from 'node:test'
import { once } from './once.ts'

test('is made when it is wanted first, and kept', () => {
  let count = 0
  const made = once(() => ({ number: ++count }))
  assert.equal(count, 0)
  assert.equal(made(), made())
  assert.equal(count, 1)
})

test('one that throws is called again', () => {
  let count = 0
  const made = once(() => {
    if (++count === 1) throw new Error('not yet')
    return { count }
  })
  assert.throws(made, /not yet/)
  assert.deepEqual(made(), { count: 2 })
})
