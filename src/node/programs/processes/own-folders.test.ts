import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
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
