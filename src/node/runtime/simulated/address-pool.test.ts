import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressPool } from './address-pool.ts'

test('a pod has the same number in each subnet; a number of which one address is in use is left out', () => {
  const pool = createAddressPool(['10.244.3.', 'fd00:10:244:3::'])
  pool.claim(['10.244.3.3'])
  const first = pool.take()
  assert.deepEqual(
    [first, pool.take()],
    [
      ['10.244.3.2', 'fd00:10:244:3::2'],
      ['10.244.3.4', 'fd00:10:244:3::4'],
    ],
  )
  for (let taken = 2; taken < 252; taken++) pool.take()
  assert.throws(() => pool.take(), { message: 'no address is left in 10.244.3., fd00:10:244:3::' })
  pool.give(first)
  assert.deepEqual(pool.take(), first)
})
