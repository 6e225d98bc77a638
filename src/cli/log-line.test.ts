import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { logLine } from './log-line.ts'

const rows = [
  ['a message alone', ['warn', 'the watch broke', {}], 'warning: the watch broke'],
  ['why, without its stack', ['warn', 'it broke', { error: new Error('no route') }], 'warning: it broke: no route'],
  ['facts that are plain', ['error', 'it died', { part: 'nodes', restartMs: 5 }], 'error: it died (part=nodes, restartMs=5)'],
  ['facts that are objects are left out', ['info', 'seen', { pod: { metadata: {} }, node: 'a' }], 'info: seen (node=a)'],
  ['a text of several lines', ['warn', 'it broke', { error: new Error('first\n  second') }], 'warning: it broke: first second'],
  ['a long value', ['debug', 'read', { text: 'x'.repeat(400) }], `debug: read (text=${'x'.repeat(300)}…)`],
] as const
for (const [name, [level, message, facts], expected] of rows)
  test(`a line of the log: ${name}`, () => assert.equal(stripVTControlCharacters(logLine(level, message, facts)), expected))
