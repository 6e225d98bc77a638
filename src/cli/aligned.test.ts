import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aligned } from './aligned.ts'

for (const [name, rows, text] of [
  ['no rows', [], ''],
  ['one row', [['a', 'b']], 'a  b'],
  [
    'the widest cell of each column',
    [
      ['NAME', 'WHY'],
      ['a-long-name', 'x'],
      ['b', 'a long reason'],
    ],
    'NAME         WHY\na-long-name  x\nb            a long reason',
  ],
  [
    'no blanks at the end of a line',
    [
      ['a', 'long'],
      ['b', ''],
    ],
    'a  long\nb',
  ],
] as const)
  test(`columns: ${name}`, () => assert.equal(aligned(rows), text))
