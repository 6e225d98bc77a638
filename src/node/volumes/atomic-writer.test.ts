import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeAtomically } from './atomic-writer.ts'
import { FileSystem } from './file-system.ts'
import { fileTree } from './file-tree.ts'
import { type Payload, pathIn, VolumeError } from './volume-payload.ts'

const payload = (files: Readonly<Record<string, string>>): Payload =>
  new Map(Object.entries(files).map(([path, text]) => [pathIn(path), { bytes: Buffer.from(text), mode: 0o400 }]))

function open() {
  const tree = fileTree(1000)
  let serial = 0
  const fs = new FileSystem({ root: tree, readOnlyRoot: true, mounts: [], now: () => 0, uid: 0, gid: 0 })
  const write = (files: Readonly<Record<string, string>>, owner = {}) => {
    serial++
    return writeAtomically(tree, payload(files), { owner, nowMs: serial * 1000, serial })
  }
  const read = (path: string) => Buffer.from(fs.read(path)).toString()
  return { tree, fs, write, read }
}

test('names are links through ..data, and the swap shows all that changed at once', () => {
  const { tree, fs, write, read } = open()
  write({ a: '1', 'dir/b': '2' })
  const [before] = [fs.readLink('/..data')]
  assert.deepEqual([read('/a'), read('/dir/b'), fs.readLink('/dir')], ['1', '2', '..data/dir'])
  const seen: string[] = []
  fs.watch('/', (name) => seen.push(`${name}: ${name === '..data' ? `${read('/..data/a')}${read('/..data/c')}` : ''}`))
  assert.equal(write({ a: '3', c: '4' }), true)
  assert.equal(seen[0], '..data: 34')
  assert.deepEqual([read('/a'), read('/c'), fs.list('/')], ['3', '4', [fs.readLink('/..data'), '..data', 'a', 'c'].sort()])
  assert.notEqual(fs.readLink('/..data'), before)
  assert.equal(tree.space.usedBytes, 2)
})

test('the same files are not written again', () => {
  const { write } = open()
  assert.deepEqual(
    [write({ a: '1' }), write({ a: '1' }), write({ a: '1' }, { gid: 5 }), write({}), write({})],
    [true, false, true, true, false],
  )
})

test('a group that owns files may read them', () => {
  const { fs, write } = open()
  write({ a: '1' }, { gid: 5 })
  const { mode, gid } = fs.node('/a', true)
  assert.deepEqual([mode, gid], [0o440, 5])
})

for (const path of ['../x', 'a/../../x', '/etc/passwd', '', '.', '..data', '..data/x', 'a\0b', 'x'.repeat(5000)])
  test(`no file of a volume is called ${JSON.stringify(path.slice(0, 20))}`, () => {
    assert.throws(() => pathIn(path), VolumeError)
  })
