import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CelIssues } from './issues.ts'
import { parse } from './parser.ts'

const literals = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
const operand = `{'[', '{', '(', '.', '-', '!', ${literals}`

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
  ['*', `1:1: Syntax error: mismatched input '*' expecting ${operand}`, `1:2: Syntax error: mismatched input '<EOF>' expecting ${operand}`],
  [
    '|| ',
    `1:1: Syntax error: mismatched input '||' expecting ${operand}`,
    `1:4: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
  ],
  ['? a : b', `1:1: Syntax error: extraneous input '?' expecting ${operand}`, "1:5: Syntax error: mismatched input ':' expecting <EOF>"],
  ['[*]', `1:2: Syntax error: extraneous input '*' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', ${literals}`],
  ['[', `1:2: Syntax error: mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', ${literals}`],
  ['[1', "1:3: Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
  ['[,', "1:3: Syntax error: missing ']' at '<EOF>'"],
  ['[1,,', "1:4: Syntax error: mismatched input ',' expecting ']'"],
  ['{', `1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', ${literals}`],
  ['{1:2', "1:5: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
  ['{1:2,', "1:6: Syntax error: missing '}' at '<EOF>'"],
  ['f(', `1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', ${literals}`],
  ['f(,', `1:3: Syntax error: mismatched input ',' expecting {'[', '{', '(', ')', '.', '-', '!', ${literals}`],
  ['a[', `1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', ${literals}`],
  ['a[]', `1:3: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', ${literals}`],
  ['A{a:1,', "1:7: Syntax error: missing '}' at '<EOF>'"],
  ['A{?', "1:4: Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}"],
  ['.', "1:2: Syntax error: no viable alternative at input '.'"],
  ['..1', "1:2: Syntax error: no viable alternative at input '..1'"],
  ['a.?', "1:4: Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}", '1:4: unsupported ident kind'],
  ['a=b', "1:2: Syntax error: token recognition error at: '=b'"],
  ['a | b || c', "1:3: Syntax error: token recognition error at: '| '", "1:5: Syntax error: mismatched input 'b' expecting <EOF>"],
  ['`a', "1:1: Syntax error: token recognition error at: '`a'", `1:3: Syntax error: mismatched input '<EOF>' expecting ${operand}`],
  ['a.`b`', "1:3: unsupported syntax: '`'"],
  ['if(a)', '1:1: reserved identifier: if'],
  ["b'\\u0041'", '1:1: unable to unescape string'],
  ["'''a", "1:3: Syntax error: token recognition error at: ''a'"],
  ['a ?: b', `1:4: Syntax error: extraneous input ':' expecting ${operand}`, "1:7: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ['[1 2]', "1:4: Syntax error: extraneous input '2' expecting {']', ','}"],
  ['[1, *]', "1:5: Syntax error: extraneous input '*' expecting ']'"],
  ['[1, * 2]', "1:5: Syntax error: missing ']' at '*'", "1:8: Syntax error: extraneous input ']' expecting <EOF>"],
  ['{1 2}', "1:4: Syntax error: missing ':' at '2'"],
  ['f(1 2)', "1:5: Syntax error: extraneous input '2' expecting ')'"],
  [
    'a[*]',
    `1:3: Syntax error: mismatched input '*' expecting {'[', '{', '(', '.', '-', '!', '?', ${literals}`,
    `1:4: Syntax error: mismatched input ']' expecting ${operand}`,
  ],
  ['A{*}', "1:3: Syntax error: extraneous input '*' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"],
  [
    'a ? * : b',
    `1:5: Syntax error: mismatched input '*' expecting ${operand}`,
    `1:7: Syntax error: extraneous input ':' expecting ${operand}`,
    "1:10: Syntax error: mismatched input '<EOF>' expecting ':'",
  ],
  [
    '* * ',
    `1:1: Syntax error: mismatched input '*' expecting ${operand}`,
    `1:3: Syntax error: mismatched input '*' expecting ${operand}`,
    `1:5: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
  ],
  [
    'a && * && b',
    `1:6: Syntax error: mismatched input '*' expecting ${operand}`,
    `1:8: Syntax error: extraneous input '&&' expecting ${operand}`,
  ],
  ['{,1:2}', "1:3: Syntax error: mismatched input '1' expecting '}'"],
  ['a.true', "1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  ['a.in', "1:3: Syntax error: no viable alternative at input '.in'", `1:5: Syntax error: mismatched input '<EOF>' expecting ${operand}`],
  ['-)', "1:2: Syntax error: no viable alternative at input '-)'", `1:2: Syntax error: mismatched input ')' expecting ${operand}`],
  ['!)', `1:2: Syntax error: extraneous input ')' expecting ${operand}`],
  ["rb'a'", "1:3: Syntax error: extraneous input ''a'' expecting <EOF>"],
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
