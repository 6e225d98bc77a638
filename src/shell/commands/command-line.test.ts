import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCommandLine } from './command-line.ts'

const LINES: readonly (readonly [written: string, options: string, operands: string])[] = [
  ['a b', '', 'a b'],
  ['-n a -r b', 'n r', 'a b'],
  ['-nr a', 'n r', 'a'],
  ['-k2 -k 3 a', 'k=2,3', 'a'],
  ['-nk2 a', 'n k=2', 'a'],
  ['-k -n a', 'k=-n', 'a'],
  ['-n -- -r a', 'n', '-r a'],
  ['- -n', 'n', '-'],
  ['--reverse --key=2 --key 3 a', 'r k=2,3', 'a'],
]
for (const [written, options, operands] of LINES)
  test(`reads the options of ${written}`, () => {
    const line = readCommandLine(written.split(' '), 'nr', 'k')
    const given = ['n', 'r', 'k'].filter((l) => line.has(l)).map((l) => (l === 'k' ? `k=${line.values(l).join()}` : l))
    assert.equal(given.join(' '), options)
    assert.equal(line.words.join(' '), operands)
  })

const FAULTS: readonly (readonly [written: string, fault: RegExp])[] = [
  ['-x', /^invalid option -- 'x'$/],
  ['-nx', /^invalid option -- 'x'$/],
  ['--other', /^unrecognized option '--other'$/],
  ['a -k', /^option requires an argument -- 'k'$/],
]
for (const [written, fault] of FAULTS)
  test(`does not take ${written}`, () => {
    assert.throws(() => readCommandLine(written.split(' '), 'nr', 'k'), { message: fault })
  })
