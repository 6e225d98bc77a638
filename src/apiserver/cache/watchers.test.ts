import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../../base/logger.ts'
import { BatchPool } from './batch-pool.ts'
import { MemoryBudget } from './memory-budget.ts'
import { encodeObject } from './object-bytes.ts'
import { ResourceCache } from './resource-cache.ts'
import { bytesOf, StoredObject } from './stored-object.ts'
import type { Filter } from './view.ts'
import { EVERYTHING } from './view.ts'
import type { CacheWatcher } from './watchers.ts'

const newCache = (maxBytes = 64 << 20) =>
  new ResourceCache({
    group: '',
    resource: 'configmaps',
    floor: 1,
    reached: () => 1,
    budget: new MemoryBudget(maxBytes),
    batches: new BatchPool(),
    log: silentLogger,
  })

const item = (key: string, revision: number, labels: Record<string, string> = {}) => {
  const name = key.slice(key.indexOf('/') + 1)
  return new StoredObject({
    key,
    revision,
    source: bytesOf(encodeObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } })),
  })
}
const labelled = (value: string): Filter => ({ key: `l=${value}`, prefix: '', matches: (i) => i.object.metadata.labels?.l === value })

/** Everything there is to take now, as `TYPE key@revision`. */
function reported(watcher: CacheWatcher): string[] {
  const out: string[] = []
  for (;;) {
    const batch = watcher.take()
    if (batch === undefined) return out
    if (batch === 'forgotten') return [...out, 'forgotten']
    for (const e of batch.events) out.push(`${e.type} ${e.item.key}@${e.item.revision}`)
  }
}

test('a watcher gets every event after its revision once, in order', () => {
  const cache = newCache()
  cache.put(item('n/a', 2))
  cache.put(item('n/b', 3))
  const watcher = cache.watchers.add(EVERYTHING, 2, () => {})
  assert.deepEqual(reported(watcher), ['ADDED n/b@3'])
  cache.put(item('n/a', 4))
  cache.delete('n/b', 5)
  cache.watchers.flush()
  assert.deepEqual(reported(watcher), ['MODIFIED n/a@4', 'DELETED n/b@5'])
  assert.deepEqual(reported(watcher), [])
})

test('objects that begin to match are added, those that cease to are deleted with their last state', () => {
  const cache = newCache()
  const watcher = cache.watchers.add(labelled('x'), 1, () => {})
  assert.deepEqual(reported(watcher), [])
  cache.put(item('n/a', 2, { l: 'y' }))
  cache.put(item('n/a', 3, { l: 'x' }))
  cache.put(item('n/a', 4, { l: 'x', m: '1' }))
  cache.put(item('n/a', 5, { l: 'y' }))
  cache.delete('n/a', 6)
  cache.watchers.flush()
  assert.deepEqual(reported(watcher), ['ADDED n/a@3', 'MODIFIED n/a@4', 'DELETED n/a@5'])
})

test('watchers of one view share their batches, so that frames are made once', () => {
  const cache = newCache()
  const [a, b] = [0, 1].map(() => cache.watchers.add(EVERYTHING, 1, () => {}))
  assert.ok(a !== undefined && b !== undefined)
  reported(a)
  reported(b)
  cache.put(item('n/a', 2))
  cache.watchers.flush()
  assert.equal(a.take(), b.take())
})

test('a slow watcher reads from the history, and gets an error when that does not reach back', () => {
  const cache = newCache()
  const slow = cache.watchers.add(EVERYTHING, 1, () => {})
  reported(slow)
  for (let r = 2; r < 6002; r++) {
    cache.put(item('n/a', r))
    if (r % 100 === 0) cache.watchers.flush()
  }
  cache.watchers.flush()
  assert.equal(slow.cursor, undefined, 'it is lagging')
  assert.equal(reported(slow).length, 6000)
  const late = cache.watchers.add(EVERYTHING, 1, () => {})
  for (let r = 6002; r < 30_000; r++) cache.put(item('n/a', r))
  assert.deepEqual(reported(late), ['forgotten'])
})

test('an event touches only the views of its own object name', () => {
  const cache = newCache()
  const only: Filter = { key: 'a', prefix: 'n/', exact: 'n/a', index: { field: 'metadata.name', value: 'a' } }
  let woken = 0
  const watcher = cache.watchers.add(only, 1, () => woken++)
  reported(watcher)
  cache.put(item('n/b', 2))
  cache.watchers.flush()
  assert.equal(woken, 0)
  cache.put(item('n/a', 3))
  cache.watchers.flush()
  assert.equal(woken, 1)
  assert.deepEqual(reported(watcher), ['ADDED n/a@3'])
})

test('pages of one list come from one state, whatever is written meanwhile', async () => {
  const cache = newCache()
  for (let r = 2; r < 12; r++) cache.put(item(`n/${String.fromCharCode(95 + r)}`, r))
  const first = await cache.firstPage({ filter: EVERYTHING, from: '', limit: 4 }, 11)
  assert.deepEqual([first.items.length, first.remaining], [4, 6])
  cache.delete('n/f', 12)
  cache.put(item('n/zz', 13))
  const next = await cache.nextPage({ filter: EVERYTHING, from: `${first.next}\u0000`, limit: 100 }, 11)
  assert.deepEqual(
    next?.items.map((i) => i.name),
    ['e', 'f', 'g', 'h', 'i', 'j'],
  )
})
