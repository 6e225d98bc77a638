import assert from 'node:assert/strict'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { directory, type FileNode, regularFile, symbolicLink } from '../../volumes/file-tree.ts'
import { mirror } from './mirror-files.ts'

const file = (text: string) => regularFile(Buffer.from(text))
const folder = (entries: Readonly<Record<string, FileNode>>) => {
  const made = directory()
  for (const [name, node] of Object.entries(entries)) made.entries.set(name, node)
  return made
}

function open(t: TestContext, points: Readonly<Record<string, 'directory' | 'file'>> = {}) {
  const top = mkdtempSync(path.join(os.tmpdir(), 'mirror-files-'))
  t.after(() => rmSync(top, { recursive: true, force: true }))
  const [target, staging, outside] = [path.join(top, '0'), path.join(top, 'next'), path.join(top, 'outside')]
  mkdirSync(staging)
  mkdirSync(outside)
  writeFileSync(path.join(outside, 'kept'), 'mine')
  const to = {
    written: new Map<string, Uint8Array>(),
    staging,
    points: new Map(Object.entries(points).map(([at, kind]) => [path.join(target, at), kind])),
  }
  const text = (name: string) => readFileSync(path.join(target, name), 'utf8')
  return { target, outside, text, write: (node: FileNode) => mirror(node, target, to) }
}

test('files, folders and links are as in memory, and what is gone there goes', async (t) => {
  const { target, text, write } = open(t)
  await write(folder({ a: file('1'), b: folder({ c: file('2') }), link: symbolicLink('a') }))
  assert.deepEqual([text('a'), text('b/c'), text('link')], ['1', '2', '1'])
  await write(folder({ a: folder({ d: file('3') }), b: file('4') }))
  assert.deepEqual(readdirSync(target).toSorted(), ['a', 'b'])
  assert.deepEqual([text('a/d'), text('b')], ['3', '4'])
})

test('a link on the disk never leads a write out of the volume', async (t) => {
  const { target, outside, text, write } = open(t)
  // First a link, then a folder or a file of its name; and links with the names of files that are being written.
  await write(
    folder({ x: symbolicLink(outside), y: symbolicLink(path.join(outside, 'kept')), 'z.next': symbolicLink(path.join(outside, 'kept')) }),
  )
  await write(folder({ x: folder({ kept: file('theirs') }), y: file('theirs'), z: file('theirs') }))
  assert.deepEqual([text('x/kept'), text('y'), text('z')], ['theirs', 'theirs', 'theirs'])
  // The same by the process itself.
  rmSync(path.join(target, 'x'), { recursive: true })
  symlinkSync(outside, path.join(target, 'x'))
  await write(folder({ x: folder({ kept: file('again') }) }))
  assert.equal(readFileSync(path.join(outside, 'kept'), 'utf8'), 'mine')
  assert.deepEqual(readdirSync(outside), ['kept'])
})

test('the mount points of other volumes are made, even in place of a link, and stay', async (t) => {
  const { target, outside, write } = open(t, { 'a/b': 'directory', 'c/settings': 'file' })
  await write(folder({ a: symbolicLink(outside), d: file('1') }))
  assert.ok(lstatSync(path.join(target, 'a/b')).isDirectory())
  assert.ok(lstatSync(path.join(target, 'c/settings')).isFile())
  writeFileSync(path.join(target, 'a/b/mounted'), '')
  await write(folder({ c: folder({ settings: file('hidden') }) }))
  assert.ok(existsSync(path.join(target, 'a/b/mounted')))
  assert.equal(readFileSync(path.join(target, 'c/settings'), 'utf8'), '')
  assert.deepEqual(readdirSync(target).toSorted(), ['a', 'c'])
  assert.deepEqual(readdirSync(outside), ['kept'])
})
