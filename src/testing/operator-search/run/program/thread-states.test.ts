import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { listens } from './thread-states.ts'

/** Listens when it is sent a line, and no longer at the next line; answers each. */
const PROGRAM = `
const server = require('node:net').createServer()
const done = () => console.log('done')
process.stdin.on('data', () => server.listening ? server.close(done) : server.listen(0, '127.0.0.1', done))
`

test('a program that listens on a port is known', async () => {
  const program = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  const step = async () => {
    program.stdin.write('\n')
    await once(program.stdout, 'data')
    return listens(program.pid ?? 0)
  }
  assert.equal(await step(), true)
  // Elsewhere it is taken for one that does.
  assert.equal(await step(), process.platform !== 'linux')
  program.kill()
  await once(program, 'exit')
})
