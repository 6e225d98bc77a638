import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FileSystem } from '../volumes/file-system.ts'
import { fileTree } from '../volumes/file-tree.ts'
import { MOST_PROCESSES, ProcessLimitError, ProcessList, ProcessNamespace } from './process-list.ts'

const files = () => new FileSystem({ root: fileTree(0), readOnlyRoot: true, mounts: [], now: () => 0, uid: 0, gid: 0 })
const listOf = (namespace: ProcessNamespace, uid = 0) => new ProcessList(namespace, { files: files(), uid })
const started = { argv: ['sh'], startedAtMs: 0 }

test('a container has so many processes, and one more when one has ended', () => {
  const list = listOf(new ProcessNamespace())
  const all = Array.from({ length: MOST_PROCESSES }, () => {
    list.requireRoom()
    return list.enter(started, () => {})
  })
  assert.throws(() => list.requireRoom(), ProcessLimitError)
  all[0]?.[Symbol.dispose]()
  list.requireRoom()
})

test('containers that share their processes share the limit', () => {
  const namespace = new ProcessNamespace()
  const [one, other] = [listOf(namespace), listOf(namespace)]
  for (let i = 0; i < MOST_PROCESSES; i++) one.enter(started, () => {})
  assert.throws(() => other.requireRoom(), /Resource temporarily unavailable/)
})

test('signals reach a process by its number while it runs', () => {
  const list = listOf(new ProcessNamespace())
  const heard: string[] = []
  const { pid, [Symbol.dispose]: end } = list.enter(started, (signal) => void heard.push(signal))
  assert.equal(list.send(pid, 'SIGTERM'), true)
  assert.equal(list.send(pid + 1, 'SIGTERM'), false)
  end()
  assert.equal(list.send(pid, 'SIGTERM'), false)
  assert.deepEqual(heard, ['SIGTERM'])
})

test('in a shared namespace each container sees all, and knows its own', () => {
  const namespace = new ProcessNamespace()
  const [one, other] = [listOf(namespace, 1000), listOf(namespace, 2000)]
  one.enter({ argv: ['a'], startedAtMs: 1 }, () => {})
  other.enter({ argv: ['b'], startedAtMs: 2 }, () => {})
  assert.deepEqual(
    one.list().map(({ pid, uid, argv }) => [pid, uid, argv]),
    [
      [1, 1000, ['a']],
      [2, 2000, ['b']],
    ],
  )
  assert.deepEqual(
    other.own().map(({ pid }) => pid),
    [2],
  )
})

test('a subshell that is not shown counts until it ends', () => {
  const list = listOf(new ProcessNamespace())
  const all = Array.from({ length: MOST_PROCESSES }, () => list.reserve())
  assert.throws(() => list.reserve(), ProcessLimitError)
  assert.throws(() => list.requireRoom(), ProcessLimitError)
  assert.deepEqual(list.list(), [])
  all[0]?.[Symbol.dispose]()
  list.requireRoom()
})
