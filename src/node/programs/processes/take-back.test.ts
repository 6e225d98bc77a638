import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { FileSystem } from '../../volumes/file-system.ts'
import { fileTree } from '../../volumes/file-tree.ts'
import { mirror } from './mirror-files.ts'
import { takeBack } from './take-back.ts'

/** A volume at `/data`, in memory and laid out on the disk. */
async function open(t: TestContext, files: Readonly<Record<string, string>>, points: readonly string[] = []) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'take-back-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [source, staging] = [path.join(folder, '0'), path.join(folder, 'next')]
  mkdirSync(staging)
  const tree = fileTree(1024)
  const mounts = [{ path: '/data', node: tree.root, tree, readOnly: false }]
  const fileSystem = new FileSystem({ root: fileTree(1024), readOnlyRoot: false, mounts, now: () => 0, uid: 0, gid: 0 })
  for (const [name, text] of Object.entries(files)) fileSystem.write(`/data/${name}`, Buffer.from(text))
  const laid = { written: new Map(), staging, points: new Map(points.map((name) => [path.join(source, name), 'file' as const])) }
  await mirror(tree.root, source, laid)
  const lost: string[] = []
  const take = () => takeBack(source, '/data', { fileSystem, laid, refused: (file) => lost.push(file) })
  const text = (name: string) => Buffer.from(fileSystem.read(`/data/${name}`)).toString()
  return { source, fileSystem, lost, take, text }
}

test('what a process has written, linked and removed is so in memory', async (t) => {
  const { source, fileSystem, take, text } = await open(t, { kept: 'a', changed: 'a', removed: 'a' })
  writeFileSync(path.join(source, 'changed'), 'b')
  mkdirSync(path.join(source, 'deep'))
  writeFileSync(path.join(source, 'deep', 'new'), 'c')
  symlinkSync('changed', path.join(source, 'link'))
  rmSync(path.join(source, 'removed'))
  await take()
  assert.deepEqual(fileSystem.list('/data'), ['changed', 'deep', 'kept', 'link'])
  assert.deepEqual([text('kept'), text('link'), text('deep/new')], ['a', 'b', 'c'])
})

test('what others have written meanwhile stays', async (t) => {
  const { fileSystem, take } = await open(t, { kept: 'a' })
  fileSystem.write('/data/others', Buffer.from('b'))
  await take()
  assert.deepEqual(fileSystem.list('/data'), ['kept', 'others'])
})

test('a file without room is reported, and the others are kept', async (t) => {
  const { source, lost, take, text } = await open(t, {})
  writeFileSync(path.join(source, 'large'), Buffer.alloc(2048))
  writeFileSync(path.join(source, 'sparse'), '')
  truncateSync(path.join(source, 'sparse'), 2 ** 33)
  writeFileSync(path.join(source, 'small'), 'c')
  await take()
  assert.deepEqual(lost.toSorted(), ['/data/large', '/data/sparse'])
  assert.equal(text('small'), 'c')
})

test('the mount point of another volume is not taken', async (t) => {
  const { fileSystem, take, text } = await open(t, { settings: 'of the other' }, ['settings', 'b'])
  await take()
  assert.equal(text('settings'), 'of the other')
  assert.deepEqual(fileSystem.list('/data'), ['settings'])
})
