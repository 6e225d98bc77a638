/** `examples/sampledb`: it compiles, and its own tests pass. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { runProgram } from '../run-program.ts'
import { exampleWorkshop } from './example-workshop.ts'

const tsc = path.join(import.meta.dirname, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc')

test('the example compiles, and the whole life of a database passes in its test', async (t) => {
  const folder = exampleWorkshop(t, 'examples/sampledb')
  const compiled = await runProgram(process.execPath, [tsc, '-p', folder], { timeoutMs: 60_000 })
  assert.equal(compiled.code, 0, compiled.out)
  const words = ['--disable-warning=ExperimentalWarning', '--test-reporter=tap', path.join(folder, 'sampledb.test.ts')]
  const { code, out, err } = await runProgram(process.execPath, words, { env: { NODE_TEST_CONTEXT: '' }, timeoutMs: 120_000 })
  assert.equal(code, 0, `${out}${err}`)
  assert.match(out, /^# pass [1-9]/m)
})
