import assert from 'node:assert/strict'
import { test } from 'node:test'
import { klogLine, klogText } from './klog.ts'

for (const [message, facts, text] of [
  ['ready', {}, '"ready"'],
  ['a "word"', { n: 1, s: 'x' }, '"a \\"word\\"" n=1 s="x"'],
  ['failed', { error: new Error('why') }, '"failed" err="why"'],
  ['failed', { error: new Error('two\nlines') }, '"failed" err=<\n\ttwo\n\tlines\n >'],
  ['odd', { none: undefined, list: [1] }, '"odd" none=null list=[1]'],
] as const)
  test(`klog: ${message} ${JSON.stringify(facts)}`, () => assert.equal(klogText(message, facts), text))

test('a line begins with severity, local time and process', () => {
  const atMs = new Date(2026, 0, 2, 3, 4, 5, 6).getTime()
  const line = klogLine('W', { position: 'server.go:1', text: '"x"', atMs })
  assert.equal(line, `W0102 03:04:05.006000 ${String(process.pid).padStart(7)} server.go:1] "x"`)
})
