import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TerminalSizes } from './terminal-sizes.ts'

test('a size that was not read yet is replaced; the last one is read after the end, too', async () => {
  const sizes = new TerminalSizes()
  sizes.push({ width: 80, height: 24 })
  sizes.push({ width: 100, height: 30 })
  const reader = sizes[Symbol.asyncIterator]()
  assert.deepEqual((await reader.next()).value, { width: 100, height: 30 })
  const next = reader.next()
  sizes.push({ width: 120, height: 40 })
  assert.deepEqual((await next).value, { width: 120, height: 40 })
  sizes.push({ width: 1, height: 1 })
  sizes.end()
  assert.deepEqual((await reader.next()).value, { width: 1, height: 1 })
  assert.equal((await reader.next()).done, true)
})
