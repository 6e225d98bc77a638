import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { planRotation, rotateLog } from './rotate-log.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'rotate-log-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const log = path.join(folder, '0.log')

const ROWS: readonly (readonly [rule: string, names: readonly string[], removed: readonly string[], compressed: readonly string[]])[] = [
  ['the first rotation', [], [], []],
  ['what was rotated last is compressed', ['l.1'], [], ['l.1']],
  ['those beyond the limit go', ['l.1.gz', 'l.2'], ['l.1.gz'], ['l.2']],
  ['an unfinished compression starts again', ['l.1', 'l.1.tmp'], ['l.1.tmp'], ['l.1']],
  ['a finished one has its source removed', ['l.1', 'l.1.gz'], ['l.1'], []],
]
for (const [rule, names, removed, compressed] of ROWS)
  test(`a log is rotated: ${rule}`, () => assert.deepEqual(planRotation(names, 3), { removed, compressed }))

test('a log that is too large is moved away, and the one before it compressed', async () => {
  const reopen = async () => writeFileSync(log, '')
  const rotate = (nowMs: number) => rotateLog(log, { maxBytes: 4, maxFiles: 3, nowMs, reopen })
  writeFileSync(log, 'one')
  assert.equal(await rotate(0), false)
  appendFileSync(log, 'one')
  assert.equal(await rotate(1000), true)
  writeFileSync(log, 'twotwo')
  assert.equal(await rotate(2000), true)
  assert.deepEqual(readdirSync(folder).sort(), ['0.log', '0.log.19700101-000001.gz', '0.log.19700101-000002'])
  assert.equal(gunzipSync(readFileSync(path.join(folder, '0.log.19700101-000001.gz'))).toString(), 'oneone')
})

test('a log that the runtime does not reopen keeps its name', async () => {
  writeFileSync(log, 'three')
  const refuse = async () => {
    throw new Error('no')
  }
  await assert.rejects(rotateLog(log, { maxBytes: 4, maxFiles: 3, nowMs: 3000, reopen: refuse }))
  assert.equal(readFileSync(log, 'utf8'), 'three')
})
