import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ContainerLog } from './container-log.ts'

const forever = new AbortController().signal

async function all(log: ContainerLog, options: Parameters<ContainerLog['read']>[0] = {}): Promise<string> {
  let text = ''
  for await (const line of log.read(options, forever)) text += line
  return text
}

test('lines are read as they were written, however many: all, the last of them, those since a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.nat(3)), { maxLength: 40 }),
      fc.nat(100),
      fc.nat(60),
      async (written, copies, tail) => {
        const log = new ContainerLog()
        const lines: { text: string; atMs: number }[] = []
        let atMs = 0
        for (let i = 0; i <= copies; i++)
          for (const [text, laterMs] of written) {
            atMs += laterMs
            lines.push({ text: `${text}\n`, atMs })
            log.append(text, atMs)
          }
        const since = Math.floor(atMs / 2)
        const reported = (of: typeof lines) => of.map((line) => line.text).join('')
        const later = lines.filter((line) => line.atMs >= since)
        assert.equal(await all(log), reported(lines))
        assert.equal(await all(log, { tailLines: tail }), reported(tail === 0 ? [] : lines.slice(-tail)))
        assert.equal(await all(log, { sinceMs: since }), reported(later))
        assert.equal(await all(log, { sinceMs: since, tailLines: tail }), reported(tail === 0 ? [] : later.slice(-tail)))
      },
    ),
    { numRuns: 50 },
  )
})

const LIMITS = { maxBytes: 10_000, maxFiles: 3 }
/** A file is rotated after a hundred lines. */
const LINE = 'x'.repeat(59)

test('a file that is full is rotated, and what is read is what came after', async () => {
  const log = new ContainerLog(LIMITS)
  for (let i = 0; i < 250; i++) log.append(LINE, i)
  assert.equal((await all(log)).length, 50 * (LINE.length + 1))
  assert.equal((await all(log, { tailLines: 80 })).length, 50 * (LINE.length + 1))
})

test('a follower sees every line across rotations', async () => {
  const log = new ContainerLog(LIMITS)
  const seen: string[] = []
  const follow = async () => {
    for await (const line of log.read({ follow: true }, forever)) seen.push(line)
  }
  const following = follow()
  for (let i = 0; i < 1000; i++) {
    log.append(String(i).padEnd(LINE.length), i)
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  log.end()
  await following
  assert.deepEqual(
    seen.map(Number),
    Array.from({ length: 1000 }, (_, i) => i),
  )
})

test('a follower that has stopped reading holds a bounded number of files, and continues with the current one', async () => {
  const log = new ContainerLog(LIMITS)
  const lines = log.read({ follow: true }, forever)
  log.append('first', 0)
  assert.equal((await lines.next()).value, 'first\n')
  for (let i = 0; i < 100_050; i++) {
    log.append(LINE, i)
    assert.ok(log.heldBytes <= LIMITS.maxFiles * (LIMITS.maxBytes + 100))
  }
  log.end()
  let count = 0
  for await (const _ of lines) count++
  assert.equal(count, 50)
})

test('a file without readers is dropped', () => {
  const log = new ContainerLog(LIMITS)
  for (let i = 0; i < 10_000; i++) {
    log.append(LINE, i)
    assert.ok(log.heldBytes <= LIMITS.maxBytes)
  }
})
