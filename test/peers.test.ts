import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTests } from '../scripts/peers/go-suite.ts'

test("ginkgo's own count goes before that of the Go test that holds it", () => {
  const said = `Summarizing 1 Failure:\n  [FAIL] manager stops [It] in time\n  /a/b.go:1\n\nRan 4 of 5 Specs in 1.0 seconds\nFAIL! -- 3 Passed | 1 Failed | 1 Pending | 0 Skipped\n--- FAIL: TestSource (1.00s)\nFAIL`
  assert.deepEqual(countTests(said), { passed: 3, total: 4, failed: ['manager stops [It] in time'] })
})

test('plain tests are counted with their parts', () => {
  assert.deepEqual(
    countTests('--- FAIL: TestA (0.1s)\n    --- PASS: TestA/one (0.0s)\n    --- FAIL: TestA/two (0.0s)\n--- PASS: TestB (0.0s)\n'),
    {
      passed: 2,
      total: 4,
      failed: ['TestA', 'TestA/two'],
    },
  )
})

test('nothing said is nothing run', () => assert.deepEqual(countTests(''), { passed: 0, total: 0, failed: [] }))
