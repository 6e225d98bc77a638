import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { listens } from './thread-states.ts'

test('a program that listens on a port is known', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  assert.equal(listens(process.pid), true)
  server.close()
  await once(server, 'close')
  // Elsewhere it is taken for one that does.
  assert.equal(listens(process.pid), process.platform !== 'linux')
})
