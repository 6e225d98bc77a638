import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { makeFolder } from './make-folder.ts'

test('a folder is made with those above it, once', (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'make-folder-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const deep = path.join(folder, 'a', 'b')
  for (let i = 0; i < 2; i++) makeFolder(deep, 0o700)
  for (const made of [deep, path.dirname(deep)]) assert.equal(statSync(made).mode & 0o777, 0o700)
  writeFileSync(path.join(folder, 'file'), '')
  for (const under of ['file', 'file/sub', 'file/sub/sub'])
    assert.throws(() => makeFolder(path.join(folder, under)), { code: 'ENOTDIR', syscall: 'mkdir' })
})

test('where none can be made the attempt ends', { skip: process.platform !== 'linux' }, () => {
  assert.throws(() => makeFolder('/proc/bowsprit/below'), { code: 'ENOENT', path: '/proc/bowsprit' })
})
