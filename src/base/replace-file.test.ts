import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { replaceFile } from './replace-file.ts'

function fileIn(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'replace-file-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return path.join(folder, 'file')
}

test('a file is replaced, readable by its owner only, and nothing is left beside it', (t) => {
  const file = fileIn(t)
  writeFileSync(file, 'old', { mode: 0o644 })
  replaceFile(file, 'new')
  assert.equal(readFileSync(file, 'utf8'), 'new')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(path.dirname(file)), ['file'])
})

test('a link under the name of the draft is not followed', (t) => {
  const file = fileIn(t)
  const other = `${file}-of-somebody`
  writeFileSync(other, 'theirs')
  symlinkSync(other, `${file}.${process.pid}.tmp`)
  replaceFile(file, 'new')
  assert.equal(readFileSync(other, 'utf8'), 'theirs')
})

test('without its folder it fails, and says where', (t) => {
  assert.throws(() => replaceFile(path.join(fileIn(t), 'below'), 'new'), /ENOENT.*below/)
})
