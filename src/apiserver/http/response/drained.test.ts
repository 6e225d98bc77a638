import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../exchange.ts'
import { drained } from './drained.ts'

/** As much of an exchange as waiting needs. */
function slowClient() {
  const drains: (() => void)[] = []
  const closes: (() => void)[] = []
  let gone = false
  const exchange = {
    get gone() {
      return gone
    },
    onDrain: (fn: () => void) => void drains.push(fn),
    onClose: (fn: () => void) => void closes.push(fn),
  } as unknown as Exchange
  return {
    exchange,
    listeners: () => drains.length + closes.length,
    drain: () => {
      for (const fn of drains) fn()
    },
    leave: () => {
      gone = true
      for (const fn of closes) fn()
    },
  }
}

test('waiting for a slow reader a thousand times leaves two listeners', async () => {
  const client = slowClient()
  for (let i = 0; i < 1000; i++) {
    const done = drained(client.exchange)
    client.drain()
    await done
  }
  assert.equal(client.listeners(), 2)
})

test('all who wait go on when the client reads, and when it has gone', async () => {
  const client = slowClient()
  const both = [drained(client.exchange), drained(client.exchange)]
  client.drain()
  await Promise.all(both)
  const last = drained(client.exchange)
  client.leave()
  await last
  await drained(client.exchange)
})
