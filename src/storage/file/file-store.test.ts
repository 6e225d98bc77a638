import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { giveTurn } from '../../base/turns.ts'
import { localStoreContract } from '../store.contract.ts'
import { StoreError } from '../store.ts'
import { type FileStoreConfig, openFileStore } from './file-store.ts'

const folders: string[] = []
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-file-store-'))
  folders.push(folder)
  return folder
}
const random = seededRandom(1)
const open = (folder: string, config: Partial<FileStoreConfig> = {}) =>
  openFileStore({ folder, sync: false, ...config }, { clock: systemClock, random })
const put = (store: ReturnType<typeof open>, key: string, value = 'v') =>
  store.commit({ key, expect: { absent: true }, value: Buffer.from(value) })
const contents = async (store: ReturnType<typeof open>) =>
  (await store.range('')).entries.map((e) => `${e.key}=${Buffer.from(e.value)}@${e.revision}/${e.createRevision}`)

for (const sync of [false, true])
  localStoreContract(`file, ${sync ? 'waiting' : 'not waiting'} for the disk`, async (config, clock) =>
    openFileStore({ ...config, folder: newFolder(), sync }, { clock, random }),
  )

test('acknowledged writes are there after a crash, with id, revisions and history', async () => {
  const folder = newFolder()
  const dead = open(folder)
  await put(dead, 'a', '1')
  await put(dead, 'b', '2')
  await dead.commit({ key: 'a', expect: { revision: 2 }, value: Buffer.from('3') })
  await dead.commit({ key: 'b', expect: { revision: 3 }, value: undefined })
  // Not disposed of: this is what a killed process leaves, but for the lock, which is ours.
  await using store = open(folder)
  assert.deepEqual([store.id, store.revision, await contents(store)], [dead.id, 5, ['a=3@4/2']])
  const past = await store.range('', { revision: 3 })
  assert.deepEqual(
    past.entries.map((e) => e.key),
    ['a', 'b'],
  )
})

/** Bytes below that of the values, so that none are what was cut off. */
const noiseBytes = fc.uint8Array({ maxLength: 40, max: 0x77 })

test('a torn end is what was never acknowledged: it is cut off, and the store goes on', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), noiseBytes, async (cut, noise) => {
      const folder = newFolder()
      const file = path.join(folder, 'store.log')
      {
        await using store = open(folder)
        await put(store, 'a', '1')
      }
      const whole = statSync(file).size
      {
        await using store = open(folder)
        await put(store, 'b', 'x'.repeat(200))
      }
      truncateSync(file, statSync(file).size - cut)
      if (statSync(file).size > whole + 8) appendFileSync(file, noise)
      await using store = open(folder)
      assert.deepEqual(await contents(store), ['a=1@2/2'])
      await put(store, 'c', '3')
      assert.deepEqual(await contents(store), ['a=1@2/2', 'c=3@3/3'])
    }),
    { numRuns: 30 },
  ))

test('a file that is not a log is refused, and unchanged', async () => {
  const folder = newFolder()
  const file = path.join(folder, 'store.log')
  writeFileSync(file, 'something else entirely')
  assert.throws(
    () => open(folder),
    (e) => e instanceof StoreError && e.code === 'damaged',
  )
  assert.equal(readFileSync(file, 'utf8'), 'something else entirely')
})

test('a folder that a living process has is refused, one of a dead process is taken over', async () => {
  const folder = newFolder()
  writeFileSync(path.join(folder, 'owner'), `${process.ppid}\n`)
  assert.throws(
    () => open(folder),
    (e) => e instanceof StoreError && e.code === 'locked' && e.message.includes(String(process.ppid)),
  )
  writeFileSync(path.join(folder, 'owner'), `${process.ppid} 1\n`)
  await using store = open(folder)
  assert.equal(store.revision, 1)
})

for (const sync of [false, true])
  test(`a log grown by obsolete records is rewritten, with the same content (${sync ? 'waiting' : 'not waiting'} for the disk)`, async () => {
    const folder = newFolder()
    const retention = { keepMs: 1_000_000, maxRevisions: 100, maxBytes: 1 << 20 }
    const before = open(folder, { sync, retention, smallestBytes: 20_000 })
    let revision = 0
    for (let i = 0; i < 2000; i++) {
      const expect = revision === 0 ? ({ absent: true } as const) : { revision }
      const done = await before.commit({ key: 'busy', expect, value: Buffer.from(`value ${i}`) })
      if (done.kind === 'stored') revision = done.revision
      if (i % 500 === 0) await put(before, `kept-${i}`)
      if (i % 50 === 0) await giveTurn()
    }
    await giveTurn()
    const stood = await contents(before)
    const { size } = statSync(path.join(folder, 'store.log'))
    assert.ok(size < 60_000, `the log has ${size} bytes, of which most are garbage`)
    await before[Symbol.asyncDispose]()
    await using after = open(folder, { sync, retention })
    assert.deepEqual([after.id, after.revision, await contents(after)], [before.id, before.revision, stood])
  })
