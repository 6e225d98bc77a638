import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { OwnFolders } from './own-folders.ts'

test('folders of processes that have gone are removed, those of others stay', (t) => {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'own-folders-'))
  t.after(() => rmSync(parent, { recursive: true, force: true }))
  const kept = path.basename(new OwnFolders(parent).make())
  const { pid } = spawnSync('true')
  mkdirSync(path.join(parent, kept.replace(`-${process.pid}-`, `-${pid}-`)))
  mkdirSync(path.join(parent, `bowsprit-process-1-${pid}-other-namespace`))
  mkdirSync(path.join(parent, 'mine'))
  new OwnFolders(parent)
  assert.deepEqual(readdirSync(parent).toSorted(), [`bowsprit-process-1-${pid}-other-namespace`, kept, 'mine'].toSorted())
})

test('what another user left behind is left alone', {
  skip: process.getuid?.() !== 0 && 'only root can make a folder of another user',
}, (t) => {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'own-folders-'))
  t.after(() => rmSync(parent, { recursive: true, force: true }))
  const own = path.basename(new OwnFolders(parent).make())
  const { pid } = spawnSync('true')
  const other = own.replace(`-${process.pid}-`, `-${pid}-`)
  mkdirSync(path.join(parent, other))
  chownSync(path.join(parent, other), 12_345, 12_345)
  new OwnFolders(parent)
  assert.deepEqual(readdirSync(parent).toSorted(), [other, own].toSorted())
})
