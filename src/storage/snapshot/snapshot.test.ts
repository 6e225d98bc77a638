import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { openFileStore } from '../file/file-store.ts'
import { Keyspace } from '../keyspace.ts'
import { openMemoryStore } from '../memory/memory-store.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'
import { type LocalStore, StoreError } from '../store.ts'
import { copyOf } from './copy-store.ts'
import { fillSqlite } from './fill-sqlite.ts'
import { SnapshotError } from './snapshot-error.ts'
import { readSnapshot, writeSnapshot } from './snapshot-file.ts'

type Open = (folder: string, clock: VirtualClock) => Promise<LocalStore>

/** Where a snapshot comes from. */
const SOURCES: Readonly<Record<string, Open>> = {
  memory: async (_folder, clock) => openMemoryStore({}, { clock }),
  sqlite: (folder, clock) => openSqliteStore({ folder: path.join(folder, 'source') }, { clock }),
  file: async (folder, clock) => openFileStore({ folder: path.join(folder, 'source'), sync: false }, { clock, random: seededRandom(1) }),
}

/** What a store can begin with a snapshot. */
const TARGETS: Readonly<Record<string, (keyspace: Keyspace, folder: string, clock: VirtualClock) => Promise<LocalStore>>> = {
  memory: async (keyspace, _folder, clock) => openMemoryStore({}, { clock }, keyspace),
  sqlite: async (keyspace, folder, clock) => {
    fillSqlite(path.join(folder, 'target'), keyspace)
    return openSqliteStore({ folder: path.join(folder, 'target') }, { clock })
  },
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'snapshot-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const value = (text: string) => Buffer.from(text)

async function put(store: LocalStore, key: string, text: string, ttlMs?: number): Promise<void> {
  const current = await store.get(key)
  const expect = current === undefined ? ({ absent: true } as const) : { revision: current.revision }
  await store.commit({ key, expect, value: value(text), ...(ttlMs !== undefined && { ttlMs }) })
}

async function remove(store: LocalStore, key: string): Promise<void> {
  const current = await store.get(key)
  if (current !== undefined) await store.commit({ key, expect: { revision: current.revision }, value: undefined })
}

/** Everything in a store. */
async function state(store: LocalStore): Promise<unknown> {
  const { entries, revision } = await store.range('')
  return { revision, entries: entries.map((e) => ({ ...e, value: Buffer.from(e.value).toString() })) }
}

const failsWith = (code: string) => (error: unknown) => error instanceof SnapshotError && error.code === code

for (const [from, open] of Object.entries(SOURCES)) {
  for (const [to, begin] of Object.entries(TARGETS)) {
    test(`${from} to ${to}: a saved store is restored with its revisions and leases, and continues from there`, async (t) => {
      const folder = folderOf(t)
      const clock = new VirtualClock()
      await using source = await open(folder, clock)
      await put(source, 'a', 'one')
      await put(source, 'b', 'leased', 100)
      await put(source, 'a', 'two \u{1f980}')
      await put(source, 'gone', 'x')
      await remove(source, 'gone')
      const file = path.join(folder, 'saved')
      await writeSnapshot(file, { keyspace: await copyOf(source), about: { name: 'me' } })
      const { keyspace, about } = await readSnapshot(file)
      assert.deepEqual(about, { name: 'me' })
      await using target = await begin(keyspace, folder, clock)
      assert.deepEqual(await state(target), await state(source))
      assert.equal(target.compacted, source.revision)
      await put(target, 'c', 'new')
      assert.equal(target.revision, source.revision + 1)
      assert.equal(await source.get('c'), undefined)
      const past = target.watch('', source.revision - 1).changes[Symbol.asyncIterator]()
      await assert.rejects(past.next(), (error) => error instanceof StoreError && error.code === 'compacted')
      const present = target.watch('', source.revision).changes[Symbol.asyncIterator]()
      assert.equal((await present.next()).value?.[0]?.revision, source.revision + 1)
      await clock.advance(100)
      await until(target, () => target.get('b').then((b) => b === undefined))
    })
  }
}

/** A store that waits for a disk has its own pace. */
async function until(store: LocalStore, holds: () => Promise<boolean>): Promise<void> {
  const changes = store.watch('', store.revision).changes[Symbol.asyncIterator]()
  while (!(await holds())) await changes.next()
}

type Step = readonly [key: string, text: string | undefined]
const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c/d', 'c/e'), fc.option(fc.string(), { nil: undefined })), { maxLength: 30 })
const carryOut = async (store: LocalStore, all: readonly Step[]) => {
  for (const [key, text] of all) await (text === undefined ? remove(store, key) : put(store, key, text))
}

test('a copy is equal to its store, and from then on each goes its own way, as if the other were not there', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, async (before, here, there) => {
      const clock = new VirtualClock()
      const open = () => openMemoryStore({}, { clock })
      await using store = open()
      await carryOut(store, before)
      await using fork = openMemoryStore({}, { clock }, await copyOf(store))
      assert.deepEqual(await state(fork), await state(store))
      await Promise.all([carryOut(store, here), carryOut(fork, there)])
      await using alone = open()
      await carryOut(alone, [...before, ...here])
      await using other = open()
      await carryOut(other, [...before, ...there])
      assert.deepEqual(await state(store), await state(alone))
      assert.deepEqual(await state(fork), await state(other))
    }),
  )
})

test('a file gives back what was saved, whatever that is', async (t) => {
  const file = path.join(folderOf(t), 'saved')
  await fc.assert(
    fc.asyncProperty(steps, fc.jsonValue(), async (before, about) => {
      const clock = new VirtualClock()
      await using store = openMemoryStore({}, { clock })
      await carryOut(store, before)
      await writeSnapshot(file, { keyspace: await copyOf(store), about })
      const read = await readSnapshot(file)
      await using again = openMemoryStore({}, { clock }, read.keyspace)
      assert.deepEqual(await state(again), await state(store))
      assert.deepEqual(read.about, JSON.parse(JSON.stringify(about)))
    }),
    { numRuns: 50 },
  )
})

for (const [revision, said] of [
  [2 ** 52, 'taken'],
  [2 ** 52 + 1, 'damaged'],
  [Number.MAX_SAFE_INTEGER, 'damaged'],
] as const)
  test(`a snapshot of revision ${revision} is ${said}: a store needs numbers to count on`, async (t) => {
    const file = path.join(folderOf(t), 'saved')
    await writeSnapshot(file, { keyspace: new Keyspace(revision), about: {} })
    const outcome = await readSnapshot(file).then(
      () => 'taken',
      (error: unknown) => (error instanceof SnapshotError ? error.code : String(error)),
    )
    assert.equal(outcome, said)
  })

test('a copy of a store in another process holds its present', async () => {
  const clock = new VirtualClock()
  await using store = openMemoryStore({}, { clock })
  await put(store, 'a', 'one')
  await remove(store, 'a')
  await put(store, 'b', 'two', 500)
  // Whatever is no engine of this process.
  const elsewhere = { ...store, range: store.range.bind(store) } as unknown as LocalStore
  await using copy = openMemoryStore({}, { clock }, await copyOf(elsewhere))
  assert.deepEqual(await state(copy), await state(store))
  await clock.advance(500)
  assert.equal(await copy.get('b'), undefined)
})

async function savedFile(t: TestContext): Promise<{ readonly file: string; readonly bytes: Buffer }> {
  const file = path.join(folderOf(t), 'saved')
  await using store = openMemoryStore({}, { clock: new VirtualClock() })
  await put(store, 'a', 'one')
  await writeSnapshot(file, { keyspace: await copyOf(store), about: {} })
  return { file, bytes: readFileSync(file) }
}

test('a file is for its owner alone, replaces what was there, and leaves nothing beside it', async (t) => {
  const { file } = await savedFile(t)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  await using store = openMemoryStore({}, { clock: new VirtualClock() })
  writeFileSync(file, 'older', { mode: 0o644 })
  await writeSnapshot(file, { keyspace: await copyOf(store), about: 'new' })
  assert.deepEqual([statSync(file).mode & 0o777, (await readSnapshot(file)).about], [0o600, 'new'])
  assert.deepEqual(readdirSync(path.dirname(file)), ['saved'])
})

test('where it cannot be written, the file that was there stays', async (t) => {
  const folder = folderOf(t)
  await using store = openMemoryStore({}, { clock: new VirtualClock() })
  const contents = { keyspace: await copyOf(store), about: {} }
  await assert.rejects(writeSnapshot(path.join(folder, 'no', 'folder'), contents), failsWith('unwritable'))
  await assert.rejects(writeSnapshot(folder, contents), failsWith('unwritable'))
  assert.deepEqual(
    readdirSync(path.dirname(folder)).filter((name) => name.startsWith(`${path.basename(folder)}.`)),
    [],
  )
})

test('a file in which any byte is another is refused', async (t) => {
  const { file, bytes } = await savedFile(t)
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      const broken = Buffer.from(bytes)
      broken[at] = (broken[at] ?? 0) ^ flip
      writeFileSync(file, broken)
      await assert.rejects(readSnapshot(file), (error) => error instanceof SnapshotError && error.message.includes(file))
    }),
  )
})

test('a file that is cut short, or longer, is refused', async (t) => {
  const { file, bytes } = await savedFile(t)
  for (let length = 0; length < bytes.length; length += 7) {
    writeFileSync(file, bytes.subarray(0, length))
    await assert.rejects(readSnapshot(file), SnapshotError)
  }
  writeFileSync(file, Buffer.concat([bytes, Buffer.from('x')]))
  await assert.rejects(readSnapshot(file), failsWith('damaged'))
})

test('what is no snapshot, or of another version, is named so', async (t) => {
  const { file, bytes } = await savedFile(t)
  const with2 = Buffer.from(bytes.toString('latin1').replace('snapshot 1', 'snapshot 2'), 'latin1')
  for (const [content, code] of [
    [Buffer.from('apiVersion: v1\n'), 'not-a-snapshot'],
    [with2, 'version'],
  ] as const) {
    writeFileSync(file, content)
    await assert.rejects(readSnapshot(file), failsWith(code))
  }
  await assert.rejects(readSnapshot(`${file}.not-there`), failsWith('unreadable'))
})

test('a store that is there already is not written over', async (t) => {
  const folder = folderOf(t)
  await using store = openMemoryStore({}, { clock: new VirtualClock() })
  const keyspace = await copyOf(store)
  fillSqlite(path.join(folder, 'store'), keyspace)
  assert.throws(() => fillSqlite(path.join(folder, 'store'), keyspace), failsWith('occupied'))
  assert.deepEqual(readdirSync(folder), ['store'])
})
