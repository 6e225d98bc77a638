import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { OptionsError } from '../options-error.ts'
import { backupName, backupsAmong, openRotatingFile, planBackups } from './rotating-file.ts'

const OPTIONS = { path: '', mostBytes: 0, mostBackups: 0, mostDays: 0, compress: false }

test('a file that would grow too large is put aside, and what is put aside is counted and compressed', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-rotate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'a', 'audit.log')
  const clock = new VirtualClock()
  const sink = openRotatingFile({ ...OPTIONS, path: file, mostBytes: 10, mostBackups: 2, compress: true }, { clock, log: silentLogger })
  for (const line of ['one\n', 'two\n', 'three\n', 'four\n', 'five and more\n', 'six\n']) {
    sink.write(line)
    await clock.advance(1000)
  }
  sink[Symbol.dispose]()
  assert.equal(readFileSync(file, 'utf8'), 'six\n')
  const backups = backupsAmong(readdirSync(path.dirname(file)), file)
  assert.equal(backups.length, 2)
  const texts = backups.map((b) => {
    const bytes = readFileSync(path.join(path.dirname(file), b.file))
    return (b.compressed ? gunzipSync(bytes) : bytes).toString()
  })
  assert.deepEqual(texts, ['five and more\n', 'four\n'])
})

test('a file that cannot be opened is refused in the words of Kubernetes', () => {
  const open = (file: string) => () => openRotatingFile({ ...OPTIONS, path: file }, { clock: new VirtualClock(), log: silentLogger })
  const says = (message: string) => (e: unknown) => e instanceof OptionsError && e.message === message
  assert.throws(open('/proc/nowhere/audit.log'), says('ensureLogFile: mkdir /proc/nowhere: no such file or directory'))
  assert.throws(open('/tmp'), says('ensureLogFile: open /tmp: is a directory'))
})

const NOW = Date.parse('2026-11-22T05:00:00.123Z')
const DAY = 86_400_000

test('backups are recognized by their names', () => {
  assert.equal(backupName('/x/audit.log', NOW), '/x/audit-2026-11-22T05-00-00.123.log')
  const files = ['audit-2026-11-22T05-00-00.123.log', 'audit-2026-11-23T05-00-00.123.log.gz', 'audit.log', 'audit-x.log', 'other.log']
  assert.deepEqual(
    backupsAmong(files, '/x/audit.log').map(({ file, compressed }) => [file, compressed]),
    [
      ['audit-2026-11-23T05-00-00.123.log.gz', true],
      ['audit-2026-11-22T05-00-00.123.log', false],
    ],
  )
})

const backup = (days: number, compressed = false) => ({ file: String(days), at: NOW - days * DAY, compressed })
for (const [name, options, remove, compress] of [
  ['nothing is done unless it is asked for', {}, [], []],
  ['too many', { mostBackups: 1 }, ['2', '9'], []],
  ['too old', { mostDays: 5 }, ['9'], []],
  ['compressed once', { compress: true }, [], ['1', '9']],
] as const)
  test(`backups: ${name}`, () => {
    const plan = planBackups([backup(1), backup(2, true), backup(9)], { ...OPTIONS, ...options }, NOW)
    assert.deepEqual(plan, { remove: [...remove], compress: [...compress] })
  })
