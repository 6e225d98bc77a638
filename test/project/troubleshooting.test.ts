import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { loggedMessages, messagesIn, userMessages } from '../../scripts/user-messages.ts'

const root = path.join(import.meta.dirname, '..', '..')

/** The first cells of the page's tables: `…` is any text. */
const rows = [...readFileSync(path.join(root, 'docs', 'troubleshooting.md'), 'utf8').matchAll(/^\| (.*?) \| /gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/``? ?(.*?) ?``?(?=,|$)/g)].map(([, shown = '']) => new RegExp(`^${RegExp.escape(shown).replaceAll('…', '.+')}$`, 's')),
)

for (const message of [...userMessages(root), ...loggedMessages(root)])
  test(`docs/troubleshooting.md has a row for: ${message}`, () => assert.ok(rows.some((row) => row.test(message))))

for (const [source, messages] of [
  ["new ConfigError('a wrong word')", ['a wrong word']],
  ['new StoreError(\n  `locked`,\n  `there`)', ['locked']],
  ["new StoreError('locked', `the folder ${folder} is ${of({ id })}: stop it`)", ['the folder … is …: stop it']],
  ["new Error('invariant: never')\nnew UsageError(`--port: ${text}`)\nnew RangeError('no')", []],
] as const)
  test(`messages of ${source}`, () => assert.deepEqual(messagesIn(source, true), messages))
