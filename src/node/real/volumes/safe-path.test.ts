import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { makeInside, openInside, SubPathError } from './safe-path.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'safe-path-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const volume = path.join(folder, 'volume')
mkdirSync(path.join(volume, 'a'), { recursive: true })
mkdirSync(path.join(folder, 'secret'))
writeFileSync(path.join(volume, 'a', 'file'), 'text')
symlinkSync('../../secret', path.join(volume, 'a', 'out'))
symlinkSync('a', path.join(volume, 'inside'))

const linux = { skip: process.platform === 'linux' ? false : 'it walks /proc/self/fd' }

test('a link may lead on inside of its volume, and not out of it', linux, async () => {
  await using file = await openInside(volume, 'inside/file')
  assert.equal((await file.stat()).size, 4)
  await assert.rejects(openInside(volume, 'a/out'), SubPathError)
  await assert.rejects(openInside(volume, '../secret'), SubPathError)
})

test('missing folders are made with their mode, and none outside of the volume', linux, async () => {
  await makeInside(volume, 'inside/new/deep', 0o2775)
  assert.equal(statSync(path.join(volume, 'a', 'new', 'deep')).mode & 0o7777, 0o2775)
  await assert.rejects(makeInside(volume, 'a/out/new', 0o755), SubPathError)
  assert.ok(!existsSync(path.join(folder, 'secret', 'new')))
})
