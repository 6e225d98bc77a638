import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../base/clock.ts'
import { ContainerLog } from '../runtime/container-log.ts'
import { LogLines } from './log-lines.ts'

/** What was appended to the log: a text, and whether its line goes on. */
function logged() {
  const clock = new VirtualClock()
  const log = new ContainerLog()
  const entries: (readonly [text: string, unfinished: boolean])[] = []
  log.append = (text: string, _at: number, unfinished?: string) => void entries.push([text, unfinished === 'unfinished'])
  return { lines: new LogLines(log, clock), entries }
}

test('bytes in any pieces become the same lines', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ') }), { minLength: 1 }),
      fc.array(fc.nat(9)),
      (texts, cuts) => {
        const { lines, entries } = logged()
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))
        let at = 0
        for (const cut of cuts) {
          lines.write(bytes.subarray(at, at + cut))
          at += cut
        }
        lines.write(bytes.subarray(at))
        lines.end()
        assert.deepEqual(
          entries,
          texts.map((text) => [text, false]),
        )
      },
    ),
  )
})

test('a last line without an end is kept when the stream ends', () => {
  const { lines, entries } = logged()
  lines.write(Buffer.from('one\ntwo'))
  assert.deepEqual(entries, [['one', false]])
  lines.end()
  assert.deepEqual(entries, [
    ['one', false],
    ['two', true],
  ])
})

test('a line without an end is kept in pieces of 16 KiB', () => {
  const { lines, entries } = logged()
  lines.write(Buffer.alloc(40_000, 'x'))
  lines.write(Buffer.from('\n'))
  assert.deepEqual(
    entries.map(([text, unfinished]) => [text.length, unfinished]),
    [
      [16_384, true],
      [16_384, true],
      [7232, false],
    ],
  )
})
