import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { VirtualClock } from '../../base/clock.ts'
import { localStoreContract } from '../store.contract.ts'
import { type LocalStore, type Store, StoreError, type StoreErrorCode } from '../store.ts'
import { openSqliteStore, type SqliteConfig } from './sqlite-store.ts'

const root = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-sqlite-'))
after(() => rmSync(root, { recursive: true, force: true }))

let serial = 0
const newFolder = () => path.join(root, String(serial++))
const clock = new VirtualClock()
const open = (folder: string, config: Partial<SqliteConfig> = {}) => openSqliteStore({ folder, ...config }, { clock })

localStoreContract('sqlite', (config, clock) => openSqliteStore({ ...config, folder: newFolder() }, { clock }))

const value = (text: string) => Buffer.from(text)
const create = (store: Store, key: string, text = 'v') => store.commit({ key, expect: { absent: true }, value: value(text) })
const keys = async (store: LocalStore, revision = store.revision) =>
  (await store.range('', { revision })).entries.map((e) => `${e.key}=${e.value}`).join(' ')
const failsWith = (code: StoreErrorCode, message: RegExp) => (error: unknown) =>
  error instanceof StoreError && error.code === code && message.test(error.message)

test('a store that is opened again has everything: keys, past, compaction, revision', async () => {
  const folder = newFolder()
  {
    await using store = await open(folder)
    await create(store, 'a', '1')
    await create(store, 'b', '1')
    await store.commit({ key: 'a', expect: { revision: 2 }, value: value('2') })
    await store.commit({ key: 'b', expect: { revision: 3 }, value: undefined })
    await create(store, 'c', '1')
    await store.compact(3)
  }
  {
    await using store = await open(folder)
    assert.deepEqual([store.revision, store.compacted], [6, 3])
    assert.deepEqual([await keys(store), await keys(store, 4), await keys(store, 3)], ['a=2 c=1', 'a=2 b=1', 'a=1 b=1'])
    assert.equal((await store.get('a'))?.createRevision, 2)
    await store.commit({ key: 'c', expect: { revision: 6 }, value: undefined })
    await store.compact(7)
  }
  await using store = await open(folder)
  assert.deepEqual([store.revision, store.compacted, await keys(store)], [7, 7, 'a=2'], 'the revision never goes back')
})

test('leases end after a restart, also those that ended in between', async () => {
  const folder = newFolder()
  const clock = new VirtualClock()
  {
    await using store = await openSqliteStore({ folder }, { clock })
    await store.commit({ key: 'a', expect: { absent: true }, value: value('v'), ttlMs: 1000 })
    await store.commit({ key: 'b', expect: { absent: true }, value: value('v'), ttlMs: 9000 })
  }
  await clock.advance(5000)
  await using store = await openSqliteStore({ folder }, { clock })
  for (const gone of ['a', 'b']) {
    const deleted = store.watch(gone, store.revision).changes[Symbol.asyncIterator]().next()
    await clock.advance(gone === 'a' ? 0 : 4000)
    assert.equal((await deleted).value?.[0]?.kind, 'delete')
  }
  assert.equal(await keys(store), '')
})

test('compaction gives the room back: the file does not grow for ever', async () => {
  const folder = newFolder()
  await using store = await open(folder, { retention: { keepMs: 1e9, maxRevisions: 200, maxBytes: 1 << 30 } })
  let revision = 0
  const write = async (times: number) => {
    for (let i = 0; i < times; i++) {
      const result = await store.commit({
        key: 'a',
        expect: revision === 0 ? { absent: true } : { revision },
        value: Buffer.alloc(10_000, i),
      })
      assert.equal(result.kind, 'stored')
      if (result.kind === 'stored') revision = result.revision
    }
  }
  await write(1500)
  assert.ok(statSync(path.join(folder, 'store.db')).size < 6 << 20)
})

test('what a compaction left undone when the process died is done at the next start', async () => {
  const folder = newFolder()
  {
    await using store = await open(folder)
    for (let i = 0; i < 1000; i++) create(store, `k${i}`)
    await create(store, 'last')
    for (let i = 0; i < 1000; i++) store.commit({ key: `k${i}`, expect: { revision: 2 + i }, value: undefined })
    await create(store, 'end')
    await store.compact(store.revision)
  }
  const count = () => {
    using db = new DatabaseSync(path.join(folder, 'store.db'))
    return Number(db.prepare('SELECT count(*) AS n FROM log').get()?.n)
  }
  assert.ok(count() > 1000, 'closing does not wait for the sweeping')
  {
    await using store = await open(folder)
    assert.equal(await keys(store), 'end=v last=v')
    for (let i = 0; i < 10; i++) await create(store, `n${i}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.equal(count(), 12)
  await using store = await open(folder)
  assert.equal((await store.range('')).entries.length, 12)
})

test('a folder has one owner; the message names it', async () => {
  const folder = newFolder()
  await using _store = await open(folder)
  await assert.rejects(open(folder), failsWith('locked', new RegExp(`${folder}/store.db is in use by process ${process.pid} `)))
  const script = `import { openSqliteStore } from ${JSON.stringify(new URL('sqlite-store.ts', import.meta.url).href)}
    const error = await openSqliteStore({ folder: ${JSON.stringify(folder)} }, { clock: { busy: () => () => {} } }).then(() => undefined, (e) => e)
    console.log(error?.code)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  assert.equal(stdout.trim(), 'locked')
})

test('a store that was let go of can be opened again, and leaves one file', async () => {
  const folder = newFolder()
  await (await open(folder))[Symbol.asyncDispose]()
  assert.equal(existsSync(path.join(folder, 'store.db-wal')), false)
  assert.equal(existsSync(path.join(folder, 'store.owner')), false)
  assert.equal(statSync(path.join(folder, 'store.db')).mode & 0o777, 0o600)
  await (await open(folder))[Symbol.asyncDispose]()
})

test('damage is found, wherever it is', async () => {
  const folder = newFolder()
  const file = path.join(folder, 'store.db')
  {
    await using store = await open(folder)
    for (let i = 0; i < 100; i++) await create(store, `key-${i}`, `value-${i}`.repeat(200))
  }
  const whole = readFileSync(file)
  const spoil = (at: number, bytes: string) => {
    writeFileSync(file, whole)
    const fd = openSync(file, 'r+')
    writeSync(fd, bytes, at)
    closeSync(fd)
  }
  const damaged = failsWith('damaged', /store.* is damaged \(.*\): put a backup in its place, or move the folder away/)
  spoil(0, 'this is not a database at all')
  await assert.rejects(open(folder), damaged)
  spoil(whole.indexOf('value-50value-50') + 20, 'X')
  await assert.rejects(open(folder), failsWith('damaged', /the record of revision 52 \(key-50\) is not what was written/))
  for (let page = 1; page < whole.length / 8192; page += 5) {
    spoil(page * 8192, '\xff\xff\xff\xff\xff\xff\xff\xff')
    await assert.rejects(open(folder), damaged, `page ${page}`)
  }
  writeFileSync(file, whole.subarray(0, whole.length >> 1))
  await assert.rejects(open(folder), damaged)
  writeFileSync(file, whole)
  await using store = await open(folder)
  assert.equal((await store.range('')).entries.length, 100)
})

test('a database of somebody else, and a missing record, are refused', async () => {
  const folder = newFolder()
  mkdirSync(folder)
  {
    using db = new DatabaseSync(path.join(folder, 'store.db'))
    db.exec('CREATE TABLE customers (name TEXT)')
  }
  await assert.rejects(open(folder), failsWith('damaged', /not one of Bowsprit/))
  const ours = newFolder()
  {
    await using store = await open(ours)
    for (const key of ['a', 'b', 'c']) await create(store, key)
  }
  {
    using db = new DatabaseSync(path.join(ours, 'store.db'))
    db.exec('DELETE FROM log WHERE revision = 3')
  }
  await assert.rejects(open(ours), failsWith('damaged', /revision 3 is missing/))
})

test('an impossible folder is a clear error', async () => {
  const file = newFolder()
  writeFileSync(file, '')
  await assert.rejects(open(path.join(file, 'sub')), failsWith('io', /cannot be read or written .*ENOTDIR/))
  const folder = newFolder()
  mkdirSync(path.join(folder, 'store.db'), { recursive: true })
  await assert.rejects(open(folder), failsWith('io', /unable to open database file/))
})

test('a full disk fails the commits that found no room, harms nothing, and is over when there is room', async () => {
  const folder = newFolder()
  const big = value('x'.repeat(20_000))
  let last = 1
  {
    await using store = await open(folder, { maxFileBytes: 1 << 20 })
    const write = async () => {
      const result = await store.commit({ key: 'a', expect: last === 1 ? { absent: true } : { revision: last }, value: big })
      if (result.kind === 'stored') last = result.revision
    }
    const full = failsWith('full', /store.db cannot grow .*: free some disk space/)
    await assert.rejects(async () => {
      for (;;) await write()
    }, full)
    assert.ok(last > 20)
    assert.equal(store.revision, last)
    await assert.rejects(write(), full)
    assert.equal((await store.get('a'))?.revision, last)
    await store.compact(last)
    await write()
  }
  await using store = await open(folder)
  assert.deepEqual([store.revision, (await store.get('a'))?.revision], [last, last])
})
