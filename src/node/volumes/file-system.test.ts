import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FileError } from './file-error.ts'
import { FileSystem } from './file-system.ts'
import { fileTree, regularFile, sizeOf } from './file-tree.ts'
import { subPathOf } from './sub-path.ts'
import { VolumeError } from './volume-payload.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
const bytes = (content: string) => Buffer.from(content)

function open({ limit = 1000, readOnly = false } = {}) {
  const root = fileTree(limit)
  const volume = fileTree(limit)
  volume.root.entries.set('key', regularFile(bytes('value')))
  const mounts = [{ path: '/mnt/vol', node: volume.root, tree: volume, readOnly }]
  return { root, volume, fs: new FileSystem({ root, readOnlyRoot: false, mounts, now: () => 5, uid: 1, gid: 2 }) }
}

const fails = (code: string, work: () => unknown) => assert.throws(work, (e) => e instanceof FileError && e.code === code, code)

test('files are written, appended, renamed and removed; links lead where the container sees them', () => {
  const { fs, volume } = open()
  fs.makeDirectory('/a/b', { recursive: true })
  fs.write('/a/b/f', bytes('1'))
  fs.write('/a/b/f', bytes('23'), { atEnd: true })
  assert.equal(text(fs.read('/a/../a/./b/f')), '123')
  fs.link('/a/b', '/short')
  fs.link('../../../../mnt/vol/key', '/a/out')
  assert.equal(text(fs.read('/short/f')), '123')
  assert.equal(text(fs.read('/a/out')), 'value')
  assert.equal(fs.realPath('/short/f'), '/a/b/f')
  fs.rename('/short/f', '/g')
  assert.deepEqual(fs.list('/'), ['a', 'g', 'mnt', 'short'])
  fs.remove('/a', { recursive: true })
  fails('ENOENT', () => fs.read('/short/f'))
  fails('EXDEV', () => fs.rename('/g', '/mnt/vol/g'))
  fails('EBUSY', () => fs.remove('/mnt', { recursive: true }))
  fails('EBUSY', () => fs.remove('/mnt/vol', { recursive: true }))
  assert.equal(text(fs.read('/mnt/vol/key')), 'value')
  assert.equal(volume.root.entries.size, 1)
})

test("paths lead into another container's files: its mounts are visible, its root cannot be removed, and cycles of links end", () => {
  const root = fileTree(1000)
  const other = open().fs
  const othersAt = (path: string): FileSystem | undefined => ({ '/proc/7/root': other, '/proc/8/root': fs })[path]
  const fs: FileSystem = new FileSystem({ root, readOnlyRoot: false, mounts: [], now: () => 5, uid: 1, gid: 2, othersAt })
  for (const pid of ['7', '8']) fs.makeDirectory(`/proc/${pid}/root`, { recursive: true })
  assert.equal(text(fs.read('/proc/7/root/mnt/vol/key')), 'value')
  assert.equal(fs.realPath('/proc/7/root/mnt/../mnt/vol'), '/proc/7/root/mnt/vol')
  assert.equal(fs.realPath('/proc/7/root/../..'), '/proc/7/root')
  fs.write('/proc/7/root/new', bytes('1'))
  assert.equal(text(other.read('/new')), '1')
  other.link('/new', '/again')
  assert.equal(text(fs.read('/proc/7/root/again')), '1')
  for (const path of ['/proc/7/root', '/proc/7/root/mnt', '/proc/7/root/mnt/vol', '/proc/8/root'])
    fails('EBUSY', () => fs.remove(path, { recursive: true }))
  fs.link('/proc/8/root/circle', '/circle')
  fails('ELOOP', () => fs.read('/circle'))
  assert.equal(text(fs.read(`${'/proc/8/root'.repeat(300)}/proc/7/root/new`)), '1')
})

test('what is read stays as it was read, however much is appended', () => {
  const { fs } = open({ limit: 1e6 })
  fs.write('/log', bytes('a'))
  const before = fs.read('/log')
  for (let i = 0; i < 1000; i++) fs.write('/log', bytes('bc'), { atEnd: true })
  assert.equal(text(before), 'a')
  assert.equal(fs.read('/log').length, 2001)
})

test('a read-only volume and a full tree refuse writes', () => {
  const { fs } = open({ limit: 10, readOnly: true })
  for (const work of [() => fs.write('/mnt/vol/x', bytes('1')), () => fs.remove('/mnt/vol/key'), () => fs.makeDirectory('/mnt/vol/d')])
    fails('EROFS', work)
  fs.write('/x', bytes('12345678'))
  fails('ENOSPC', () => fs.write('/y', bytes('123')))
  fs.remove('/x')
  fs.write('/y', bytes('1234567890'))
})

test('loops of links, long names and strange paths are refused by name', () => {
  const { fs } = open()
  fs.link('/l2', '/l1')
  fs.link('/l1', '/l2')
  fails('ELOOP', () => fs.read('/l1'))
  fails('ENAMETOOLONG', () => fs.read(`/${'x'.repeat(300)}`))
  fails('ENAMETOOLONG', () => fs.read('/x'.repeat(3000)))
  fails('EINVAL', () => fs.read('/a\0b'))
  fails('ENOTDIR', () => fs.read('/mnt/vol/key/x'))
  fails('EISDIR', () => fs.read('/mnt'))
})

const name = fc.constantFrom('a', 'b', '..', '.', 'mnt', 'vol', 'key', '')
const path = fc.array(name, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`)
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), path, atEnd: fc.boolean() }),
  fc.record({ kind: fc.constant('mkdir' as const), path }),
  fc.record({ kind: fc.constant('remove' as const), path }),
  fc.record({ kind: fc.constant('link' as const), path, to: path }),
  fc.record({ kind: fc.constant('rename' as const), path, to: path }),
)

test('whatever is done, only the trees change, what they hold is counted, and faults have a code', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { fs, root, volume } = open({ limit: 60 })
      volume.space.usedBytes = 5
      for (const s of steps)
        try {
          if (s.kind === 'write') fs.write(s.path, bytes('xyz'), { atEnd: s.atEnd })
          else if (s.kind === 'mkdir') fs.makeDirectory(s.path)
          else if (s.kind === 'remove') fs.remove(s.path, { recursive: true })
          else if (s.kind === 'link') fs.link(s.to, s.path)
          else fs.rename(s.path, s.to)
        } catch (error) {
          if (!(error instanceof FileError)) throw error
        }
      for (const tree of [root, volume]) {
        assert.equal(tree.space.usedBytes, sizeOf(tree.root))
        assert.ok(tree.space.usedBytes <= tree.space.limitBytes)
      }
    }),
  )
})

test('a sub path leads to what lies in the volume, or is refused', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ path, to: path }), { maxLength: 8 }), path, (links, wanted) => {
      const { fs, volume } = open()
      for (const { path: at, to } of links)
        try {
          fs.link(to.slice(1), `/mnt/vol${at}`)
        } catch (error) {
          if (!(error instanceof FileError)) throw error
        }
      const inside = new Set<object>()
      const visit = (node: object & { readonly entries?: ReadonlyMap<string, object> }) => {
        inside.add(node)
        for (const child of node.entries?.values() ?? []) visit(child)
      }
      try {
        const found = subPathOf(volume, wanted.slice(1), { nowMs: 0, readOnly: false })
        visit(volume.root)
        assert.ok(inside.has(found))
      } catch (error) {
        if (!(error instanceof VolumeError)) throw error
      }
    }),
  )
})
