import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../until.ts'
import { OperatorProcess } from './operator-process.ts'
import { programsWith } from './running-programs.ts'

/** What a daemon is: it opens a session of its own, and its parent does not wait. */
const DAEMON = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref()`
const onlyLinux = process.platform === 'linux' ? {} : { skip: 'environments of other programs can be read on Linux alone' }

function program(t: TestContext, script: string): { operator: OperatorProcess; word: string } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'operator-process-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const kubeconfig = path.join(folder, 'kubeconfig')
  const operator = new OperatorProcess({ command: [process.execPath, '-e', script] }, { kubeconfig, certs: folder })
  t.after(() => operator.kill())
  return { operator, word: kubeconfig }
}

test('who leaves a daemon and ends is found out, and the daemon ends with it', onlyLinux, async (t) => {
  const { operator, word } = program(t, DAEMON)
  operator.start()
  assert.ok(await until(() => !operator.running, 10_000))
  assert.match(
    operator.end,
    /it has ended with exit code 0; what it started still runs \(.*setInterval.*\): an operator stays in the foreground/,
  )
  await operator.kill()
  assert.deepEqual(programsWith(word), [])
})

test('who ends at SIGTERM and leaves something running is told so', onlyLinux, async (t) => {
  const { operator, word } = program(t, `${DAEMON}; setInterval(() => {}, 1000); console.log('up')`)
  operator.start()
  assert.ok(await until(() => operator.output === 'up' && programsWith(word).length === 2, 10_000))
  assert.match((await operator.stop(5000)) ?? '', /it ended, and left running: .*setInterval/)
  assert.deepEqual(programsWith(word), [])
})

test('who ignores SIGTERM is killed', async (t) => {
  const { operator } = program(t, `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')`)
  operator.start()
  assert.ok(await until(() => operator.output === 'up', 10_000))
  assert.equal(await operator.stop(200), 'it still ran 0.2 seconds after SIGTERM')
  assert.equal(operator.running, false)
})

test('what cannot be started is named', async (t) => {
  const operator = new OperatorProcess({ command: ['/nowhere/operator'] }, { kubeconfig: '/nowhere/kubeconfig', certs: '' })
  t.after(() => operator.kill())
  operator.start()
  assert.ok(await until(() => operator.end.includes('ENOENT'), 5000))
  assert.equal(operator.end, 'it has ended: spawn /nowhere/operator ENOENT')
})

test('a port that somebody else has is what is told, whatever else was printed', async (t) => {
  const { operator } = program(
    t,
    `
    const net = require('node:net')
    net.createServer().listen(0, function () { net.createServer().listen(this.address().port) })`,
  )
  operator.start()
  assert.ok(await until(() => !operator.running, 10_000))
  assert.match(
    operator.end,
    /exit code 1: a port that it wants belongs to another program of this machine: .*EADDRINUSE: address already in use/,
  )
})
