import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfMessage, MOST_MESSAGE_BYTES } from './termination-message.ts'

test('of a long termination message the end is shown', () => {
  const long = `first${'x'.repeat(MOST_MESSAGE_BYTES)}last`
  assert.equal(endOfMessage(long), `${'x'.repeat(MOST_MESSAGE_BYTES - 4)}last`)
})

test('a message that fits is shown as it is, counted in bytes', () => {
  const fits = 'ä'.repeat(MOST_MESSAGE_BYTES / 2)
  assert.equal(endOfMessage(fits), fits)
  assert.equal(endOfMessage(`a${fits}`), fits)
})
