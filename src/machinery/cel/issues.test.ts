import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CelIssues, showIssue } from './issues.ts'

const ROWS: readonly (readonly [source: string, at: number, shown: string])[] = [
  ['', 0, 'ERROR: <input>:1:0: m'],
  ['ab', 1, 'ERROR: <input>:1:2: m\n | ab\n | .^'],
  ['a\n\tb c\nd', 5, 'ERROR: <input>:2:4: m\n |  b c\n | ...^'],
  ['a\nb', 1, 'ERROR: <input>:1:2: m\n | a\n | .^'],
  ['"ä😀" ä', 5, 'ERROR: <input>:1:6: m\n | "ä😀" ä\n | .．．..＾'],
  ['a', 1, 'ERROR: <input>:1:2: m\n | a\n | .^'],
]

for (const [source, at, shown] of ROWS)
  test(`a fault is shown below its line: ${JSON.stringify(source)} ${at}`, () =>
    assert.equal(showIssue(source, { at, message: 'm' }), shown))

test('a long line is not shown, and a hundred faults are', () => {
  const source = `${'a'.repeat(17_000)}\nb`
  assert.equal(showIssue(source, { at: 5, message: 'm' }), 'ERROR: <input>:1:6: m')
  const { message } = new CelIssues(
    source,
    Array.from({ length: 150 }, () => ({ at: 17_001, message: 'm' })),
  )
  assert.equal(message.match(/ERROR/g)?.length, 100)
  assert.match(message, /\n50 more errors were truncated$/)
})
