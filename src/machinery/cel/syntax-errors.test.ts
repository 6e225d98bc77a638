import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CelIssues } from './issues.ts'
import { parse } from './parser.ts'

const operand = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** As kube-apiserver 1.36 answers. */
const table: readonly [source: string, ...issues: string[]][] = [
  ['(self', "1:6: Syntax error: missing ')' at '<EOF>'"],
  ['self.all(x', "1:11: Syntax error: missing ')' at '<EOF>'"],
  ['[1,', "1:4: Syntax error: missing ']' at '<EOF>'"],
  ['self ? 1', "1:9: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ['size(self) >', `1:13: Syntax error: mismatched input '<EOF>' expecting ${operand}`],
  ['"abc', `1:1: Syntax error: token recognition error at: '"abc'`, `1:5: Syntax error: mismatched input '<EOF>' expecting ${operand}`],
  [
    "'a\\q'",
    "1:1: Syntax error: token recognition error at: ''a\\q'",
    "1:5: Syntax error: token recognition error at: '''",
    `1:6: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
  ],
  ['@self', "1:1: Syntax error: token recognition error at: '@'"],
]

for (const [source, ...issues] of table)
  test(`the faults of ${source}`, () => {
    assert.throws(
      () => parse(source, { macros: [], optionals: true }),
      (error) => {
        assert.ok(error instanceof CelIssues)
        const reported = [...error.message.matchAll(/^ERROR: <input>:(.*)$/gm)].map(([, text]) => text)
        assert.deepEqual(reported, issues)
        return true
      },
    )
  })
