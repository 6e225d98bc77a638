import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import type { ServerMessage } from '../../wire/messages.ts'
import type { Subscription } from '../subscription.ts'
import { FRAME_MS, Frames } from './frames.ts'

/** Frames over a socket, and a subscription that counts. */
function framesDouble(everyMs?: number) {
  const clock = new VirtualClock()
  const socket = { bufferedAmount: 0, sent: [] as string[], send: (text: string) => void socket.sent.push(text) }
  const state = { count: 0 }
  const subscription: Subscription = {
    ...(everyMs !== undefined && { everyMs }),
    next: (): ServerMessage => ({ type: 'error', id: 1, message: String(state.count) }),
    stop: () => {},
  }
  return { clock, socket, state, subscription, frames: new Frames(socket, clock) }
}

const messages = (sent: readonly string[]) => sent.map((text) => (JSON.parse(text) as { message: string }).message)

test('changes of one frame are joined: the latest state wins', async () => {
  const { clock, socket, state, subscription, frames } = framesDouble()
  for (; state.count < 1_000; state.count++) frames.changed(subscription)
  await clock.advance(FRAME_MS)
  assert.deepEqual(messages(socket.sent), ['1000'])
})

test('a thousand changes in a second are thirty frames, and the last state is sent', async () => {
  const { clock, socket, state, subscription, frames } = framesDouble()
  for (let i = 0; i < 1_000; i++) {
    state.count++
    frames.changed(subscription)
    await clock.advance(1)
  }
  await clock.advance(FRAME_MS)
  assert.ok(socket.sent.length >= 29 && socket.sent.length <= 32, String(socket.sent.length))
  assert.equal(messages(socket.sent).at(-1), '1000')
})

test('while a megabyte waits nothing is made, and then the latest state is sent', async () => {
  const { clock, socket, state, subscription, frames } = framesDouble()
  socket.bufferedAmount = 2 * 1024 * 1024
  frames.changed(subscription)
  await clock.advance(10_000)
  assert.deepEqual(socket.sent, [])
  state.count = 7
  socket.bufferedAmount = 0
  await clock.advance(FRAME_MS)
  assert.deepEqual(messages(socket.sent), ['7'])
})

test('a subscription may be sent less often than frames', async () => {
  const { clock, socket, subscription, frames } = framesDouble(300)
  for (let i = 0; i < 50; i++) {
    frames.changed(subscription)
    await clock.advance(10)
  }
  assert.equal(socket.sent.length, 2)
})

test('a subscription that has ended is not sent', async () => {
  const { clock, socket, subscription, frames } = framesDouble()
  frames.changed(subscription)
  frames.forget(subscription)
  await clock.advance(1_000)
  assert.deepEqual(socket.sent, [])
})

test('the answer to a question waits for no frame, and not for the pace of its subscription', async () => {
  const { clock, socket, state, subscription, frames } = framesDouble(10_000)
  frames.changed(subscription)
  await clock.advance(FRAME_MS)
  state.count = 7
  frames.asked(subscription)
  await clock.advance(0)
  assert.deepEqual(messages(socket.sent), ['0', '7'])
})
