import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { channelSocket } from './web-socket.ts'

/** A connection that counts how often it was paused. */
class SocketDouble extends EventEmitter {
  isPaused = false
  pause() {
    this.isPaused = true
  }
  resume() {
    this.isPaused = false
  }
}

for (const [what, message] of [
  ['empty', Buffer.of(0)],
  ['of one byte', Buffer.of(0, 1)],
] as const)
  test(`messages that are ${what} and are not read block the client, and are delivered in order`, async () => {
    const ws = new SocketDouble()
    const taken: Buffer[] = []
    const begin = Promise.withResolvers<void>()
    channelSocket(ws as unknown as WebSocket, false).receive(async (_, bytes) => {
      await begin.promise
      taken.push(bytes)
    })
    let sent = 0
    for (; !ws.isPaused && sent < 100_000; sent++) ws.emit('message', message)
    assert.ok(sent < 1000, `${sent} messages wait`)
    begin.resolve()
    for (let i = 0; i < 100 && ws.isPaused; i++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(ws.isPaused, false)
    assert.deepEqual([taken.length > 0, taken.every((bytes) => bytes.equals(message.subarray(1)))], [true, true])
  })
