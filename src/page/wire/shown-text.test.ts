import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownText } from './shown-text.ts'

for (const [given, shown] of [
  ['plain: ünïcödé 漢字', 'plain: ünïcödé 漢字'],
  ['left\u202eright', 'left\\u202eright'],
  ['bell\u0007, escape\u001b[31m', 'bell\\u0007, escape\\u001b[31m'],
  ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
  ['line\nand tab\t', 'line\nand tab\t'],
] as const)
  test(`${JSON.stringify(given)} is shown as ${JSON.stringify(shown)}`, () => assert.equal(shownText(given), shown))

test('a long text is cut, with its length', () => assert.equal(shownText('x'.repeat(30), 10), `${'x'.repeat(10)}… (30 characters)`))
