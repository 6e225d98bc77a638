import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FileBudget } from './file-budget.ts'
import { FileError } from './file-error.ts'
import { FileSystem } from './file-system.ts'
import { fileTree } from './file-tree.ts'

const KIB = 1024
/** A container's file tree, with a limit above the budget. */
function container(budget: FileBudget) {
  const root = fileTree(1024 * KIB, {}, budget)
  return { root, files: new FileSystem({ root, readOnlyRoot: false, mounts: [], now: () => 0, uid: 0, gid: 0 }) }
}
const isFull = (error: unknown) => error instanceof FileError && error.code === 'ENOSPC'

test('containers share a budget: what one holds, another cannot write', () => {
  const budget = new FileBudget(10 * KIB)
  const [one, other] = [container(budget), container(budget)]
  one.files.write('/a', new Uint8Array(8 * KIB))
  assert.throws(() => other.files.write('/b', new Uint8Array(4 * KIB)), isFull)
  one.files.remove('/a')
  other.files.write('/b', new Uint8Array(4 * KIB))
})

test('files without content cost something too', () => {
  const { files } = container(new FileBudget(10 * KIB))
  assert.throws(() => {
    for (let i = 0; i < 100; i++) files.write(`/f${i}`, new Uint8Array())
  }, isFull)
  assert.ok(files.list('/').length >= 10)
})

test('a removed tree returns its bytes', () => {
  const budget = new FileBudget(10 * KIB)
  const { root, files } = container(budget)
  files.write('/a', new Uint8Array(5 * KIB))
  budget.forget(root.space)
  assert.equal(budget.heldBytes, 0)
})

test('a tree has so many entries, whatever is in them', () => {
  const { files } = container(new FileBudget())
  assert.throws(() => {
    for (let i = 0; i <= 100_000; i++) files.makeDirectory(`/d${i}`)
  }, isFull)
  files.remove('/d0')
  files.makeDirectory('/again')
})

const paths = fc.constantFrom('/a', '/b', '/d/a', '/d/b')
const writes = fc.record({ kind: fc.constant('write' as const), path: paths, bytes: fc.nat(2000), atEnd: fc.boolean() })
const removals = fc.record({ kind: fc.constant('remove' as const), path: fc.constantFrom('/a', '/b', '/d', '/d/a') })
const renames = fc.record({ kind: fc.constant('rename' as const), path: paths, to: paths })
const folders = fc.record({ kind: fc.constant('folder' as const), path: fc.constant('/d') })

test('when everything is removed, the budget is as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(writes, removals, renames, folders), { maxLength: 30 }), (actions) => {
      const budget = new FileBudget(20 * KIB)
      const { files, root } = container(budget)
      for (const action of actions)
        try {
          if (action.kind === 'write') files.write(action.path, new Uint8Array(action.bytes), { atEnd: action.atEnd })
          else if (action.kind === 'remove') files.remove(action.path, { recursive: true })
          else if (action.kind === 'rename') files.rename(action.path, action.to)
          else files.makeDirectory(action.path)
        } catch (error) {
          assert.ok(error instanceof FileError, String(error))
        }
      for (const name of files.list('/')) files.remove(`/${name}`, { recursive: true })
      assert.deepEqual([budget.heldBytes, root.space.usedBytes, root.space.entries ?? 0], [0, 0, 0])
    }),
  )
})
