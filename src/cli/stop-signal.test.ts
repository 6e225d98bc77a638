import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { started } from './stop-signal.ts'

const never = new Promise<string>(() => {})
const stopped = Promise.resolve('SIGTERM')

test('what starts is returned, stopped or not', async () => {
  assert.equal(await started(Promise.resolve('server'), never), 'server')
  assert.equal(await started(sleep(2, 'server'), stopped, 10_000), 'server')
})

test('a start that fails says why', async () => {
  await assert.rejects(started(Promise.reject(new Error('no storage')), never), /^Error: no storage$/)
})

test('a start that never ends is given up some time after the signal', async () => {
  await assert.rejects(started(sleep(60_000, 'server', { ref: false }), stopped, 1), /^Error: stopped while it was starting$/)
})
