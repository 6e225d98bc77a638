import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { countCargo, countGo, countPytest, countSurefire, sumOf } from '../../scripts/peers/count.ts'
import { PEERS } from '../../scripts/peers/peers.ts'
import { runMarked } from '../../scripts/peers/run-marked.ts'
import { asKnown, rowOf, withRow } from '../../scripts/peers/table.ts'

test("ginkgo's own count takes precedence over that of the surrounding Go test", () => {
  const said = `Summarizing 1 Failure:\n  [FAIL] manager stops [It] in time\n  /a/b.go:1\n\nRan 4 of 5 Specs in 1.0 seconds\nFAIL! -- 3 Passed | 1 Failed | 1 Pending | 0 Skipped\n--- FAIL: TestSource (1.00s)\nFAIL`
  assert.deepEqual(countGo(said), { passed: 3, total: 4, failed: ['manager stops [It] in time'] })
})

test('plain tests are counted with their parts', () => {
  assert.deepEqual(
    countGo('--- FAIL: TestA (0.1s)\n    --- PASS: TestA/one (0.0s)\n    --- FAIL: TestA/two (0.0s)\n--- PASS: TestB (0.0s)\n'),
    {
      passed: 2,
      total: 4,
      failed: ['TestA', 'TestA/two'],
    },
  )
})

test('no output means that nothing ran', () => {
  const report =
    '<testsuite><testcase name="works" classname="a.B" time="1"/><testcase name="waits" classname="a.B"><error message="x"/></testcase>'
  assert.deepEqual(countSurefire([report, '<testcase name="later" classname="a.C"><skipped/></testcase>']), {
    passed: 1,
    total: 2,
    failed: ['a.B.waits'],
  })
  for (const count of [countGo, countCargo, countPytest]) assert.deepEqual(count(''), { passed: 0, total: 0, failed: [] })
})

test("cargo's tests are counted line by line, ignored ones not", () => {
  const said =
    'running 3 tests\ntest api::entry ... ok\ntest client::exec ... FAILED\ntest slow ... ignored, needs a cluster\n\ntest result: FAILED. 1 passed\n'
  assert.deepEqual(countCargo(said), { passed: 1, total: 2, failed: ['client::exec'] })
})

test('a test that fails and whose clearing up fails too is one', () => {
  const said =
    'PASSED tests/a.py::one\nPASSED tests/a.py::three\nFAILED tests/a.py::two - assert 1 == 2\nERROR tests/a.py::two - OSError\nERROR tests/a.py::three\n'
  assert.deepEqual(countPytest(said), { passed: 1, total: 3, failed: ['tests/a.py::two', 'tests/a.py::three'] })
})

test('the counts of several programs are one count, and each failure names its program', () => {
  const one = { passed: 1, total: 2, failed: ['x'] }
  assert.deepEqual(
    sumOf([
      { name: 'a', counted: one },
      { name: 'b', counted: one },
    ]),
    { passed: 2, total: 4, failed: ['a: x', 'b: x'] },
  )
})

const peer = { name: 'suite', version: 'v1', what: 'all', known: { 'a: net': 'wants the network' } }

test('a row has each known reason once, with its count, and other failures by name', () => {
  const row = rowOf(peer, { kind: 'ran', passed: 1, total: 4, failed: ['a: net1', 'a: net2', 'b: x | y\nz'] })
  assert.equal(row, '| suite | v1 | all | 1 of 4 | 2: wants the network; b: x \\| y z |')
})

test('known failures are not failures of a run, all others are', () => {
  assert.equal(asKnown(peer, { kind: 'ran', passed: 1, total: 2, failed: ['a: net1'] }), true)
  assert.equal(asKnown(peer, { kind: 'ran', passed: 1, total: 2, failed: ['b: x'] }), false)
  assert.equal(asKnown(peer, { kind: 'missing', why: 'no Go' }), true)
})

test('a row replaces that of its suite, or is appended to the first table', () => {
  const page = 'text\n\n| suite |\n|---|\n| one | 1 |\n\nmore\n\n| suite |\n|---|\n| other | 3 |\n'
  assert.equal(withRow(page, 'one', '| one | 2 |'), page.replace('| one | 1 |', '| one | 2 |'))
  assert.equal(withRow(page, 'two', '| two | 2 |'), page.replace('| one | 1 |', '| one | 1 |\n| two | 2 |'))
})

test('every suite has a name of its own', () => {
  assert.equal(new Set(PEERS.map(({ name }) => name)).size, PEERS.length)
})

test('a missing program is reported', async () => {
  assert.deepEqual(await runMarked('/nowhere/to-be-found', []), { code: 127, out: '', err: 'to-be-found is not here' })
})

test('what a program left running, in a group of its own too, is ended with it', { skip: process.platform !== 'linux' }, async () => {
  const { out } = await runMarked(process.execPath, [
    '-e',
    "const child = require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }); child.unref(); console.log(child.pid)",
  ])
  await gone(Number(out))
})

test('a time limit ends a program and what holds its output open', { skip: process.platform !== 'linux' }, async () => {
  const { code } = await runMarked('sh', ['-c', 'sleep 600 & sleep 600'], { timeoutMs: 300 })
  assert.notEqual(code, 0)
})

/** Waits until the process is gone; the test's own time limit applies. */
async function gone(pid: number): Promise<void> {
  assert.ok(pid > 0)
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await after(5)
  }
}
