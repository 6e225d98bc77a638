import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { SignalScope } from './signal-scope.ts'

test('signals of a scope end with the parent, which has one listener for all of them', () => {
  const parent = new AbortController()
  const scope = new SignalScope(parent.signal)
  const [a, b, c] = [scope.open(), scope.open(), scope.open()]
  assert.equal(getEventListeners(parent.signal, 'abort').length, 1)
  b.close()
  parent.abort(new Error('enough'))
  assert.deepEqual([a.signal.aborted, b.signal.aborted, c.signal.aborted], [true, false, true])
  assert.equal(a.signal.reason, parent.signal.reason)
  assert.equal(scope.open().signal.aborted, true)
})

test('a closed scope has let go of its parent', () => {
  const parent = new AbortController()
  const scope = new SignalScope(parent.signal)
  const { signal } = scope.open()
  scope.close()
  assert.equal(getEventListeners(parent.signal, 'abort').length, 0)
  parent.abort()
  assert.equal(signal.aborted, false)
})
