import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../../base/clock.ts'
import type { LogOptions } from '../runtime.ts'
import { readLog } from './read-log.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'cri-log-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const LINES = ['F one', 'P tw', 'F o', 'F three'].map((text, i) => `2026-01-01T00:00:0${i}.000000001Z stdout ${text}\n`).join('')
const never = new AbortController().signal

async function read(options: LogOptions, text = LINES): Promise<string> {
  const file = path.join(folder, 'plain.log')
  writeFileSync(file, text)
  let out = ''
  for await (const piece of readLog({ path: file, clock: systemClock, running: async () => false }, options, never)) out += piece
  return out
}

const ROWS: readonly (readonly [rule: string, options: LogOptions, wanted: string])[] = [
  ['parts of a line are joined', {}, 'one\ntwo\nthree\n'],
  ['the last lines are lines of the file', { tailLines: 2 }, 'o\nthree\n'],
  ['no lines are asked for', { tailLines: 0 }, ''],
  ['more lines are asked for than there are', { tailLines: 99 }, 'one\ntwo\nthree\n'],
  ['only what came later', { sinceMs: Date.parse('2026-01-01T00:00:03Z') }, 'three\n'],
  ['each with its time', { tailLines: 1, timestamps: true }, '2026-01-01T00:00:03.000000001Z three\n'],
]
for (const [rule, options, wanted] of ROWS) test(`a log is read: ${rule}`, async () => assert.equal(await read(options), wanted))

test('a line that is not written to its end is not shown, nor one in another format', async () => {
  assert.equal(await read({}, `${LINES}2026-01-01T00:00:04Z stdout F hal`), 'one\ntwo\nthree\n')
  assert.equal(await read({}, `garbage\n${LINES}`), 'one\ntwo\nthree\n')
})

test('a log that is not followed ends where it ended when it was asked for', async () => {
  const file = path.join(folder, 'growing.log')
  writeFileSync(file, LINES)
  let out = ''
  for await (const piece of readLog({ path: file, clock: systemClock, running: async () => true }, { tailLines: 1 }, never)) {
    out += piece
    appendFileSync(file, '2026-01-01T00:00:04.000000001Z stdout F four\n')
  }
  assert.equal(out, 'three\n')
})

test('a log is followed over its rotation, until the container has ended', async () => {
  const file = path.join(folder, 'followed.log')
  writeFileSync(file, LINES)
  let running = true
  let out = ''
  for await (const piece of readLog({ path: file, clock: systemClock, running: async () => running }, { follow: true }, never)) {
    out += piece
    if (out.endsWith('three\n')) {
      renameSync(file, `${file}.1`)
      writeFileSync(file, '2026-01-01T00:00:05Z stdout F four\n')
    } else if (out.endsWith('four\n')) {
      appendFileSync(file, '2026-01-01T00:00:06Z stderr F five\n')
      running = false
    }
  }
  assert.equal(out, 'one\ntwo\nthree\nfour\nfive\n')
})
