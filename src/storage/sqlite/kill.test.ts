import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { changedKey } from '../keyspace.ts'
import type { LocalStore, Revision } from '../store.ts'
import { openSqliteStore } from './sqlite-store.ts'

const ROUNDS = Number(process.env.BOWSPRIT_KILL_ROUNDS ?? 6)
const root = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-kill-'))
after(() => rmSync(root, { recursive: true, force: true }))

/** What was acknowledged last for each key: the revision, and the number written (`-`: deleted). */
type Acknowledged = Map<string, { revision: Revision; number: string }>

/** Lets a process write until it has acknowledged so many commits, and kills it in the middle of whatever it does. */
async function writeAndDie(
  folder: string,
  options: { writers: number; seed: number; acknowledge: number },
  acknowledged: Acknowledged,
): Promise<number> {
  const script = path.join(import.meta.dirname, 'kill-writer.ts')
  const child = spawn(process.execPath, [script, folder, String(options.writers), String(options.seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let count = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    count += chunk.split('\n').length - 1
    if (count >= options.acknowledge) child.kill('SIGKILL')
  })
  const signal = await new Promise((resolve) => child.on('close', (_code, signal) => resolve(signal)))
  assert.equal(signal, 'SIGKILL')
  // The last line may be torn: then nobody has read it.
  const lines = output.slice(0, output.lastIndexOf('\n')).split('\n')
  for (const line of lines) {
    const [key = '', revision, number = ''] = line.split(' ')
    acknowledged.set(key, { revision: Number(revision), number })
  }
  return lines.length
}

const open = (folder: string) => openSqliteStore({ folder }, { clock: systemClock })

/**
 * Every acknowledged write up to `upTo` is there, or was replaced by a later one, which must be whole. What was found instead counts as
 * acknowledged from then on: it has been seen.
 */
async function check(store: LocalStore, acknowledged: Acknowledged, upTo: Revision = Number.POSITIVE_INFINITY): Promise<void> {
  for (const [key, { revision, number }] of acknowledged) {
    if (revision > upTo) continue
    const entry = await store.get(key)
    if (entry === undefined) {
      if (number !== '-') assert.ok(await deletedAfter(store, key, revision), `${key}@${revision} was acknowledged and is gone`)
      acknowledged.set(key, { revision, number: '-' })
      continue
    }
    const words = String(entry.value).trim().split(' ')
    const [found = ''] = words
    assert.equal(new Set(words).size, 1)
    assert.equal(words.length, 1 + (Number(found) % 97))
    if (entry.revision === revision) assert.equal(found, number)
    else assert.ok(entry.revision > revision, `${key}@${revision} was acknowledged, but ${entry.revision} stands there`)
    acknowledged.set(key, { revision: entry.revision, number: found })
  }
}

async function deletedAfter(store: LocalStore, key: string, revision: Revision): Promise<boolean> {
  if (store.revision === revision) return false
  for await (const changes of store.watch(key, revision).changes) return changes.some((c) => c.kind === 'delete' && changedKey(c) === key)
  return false
}

test(`kill -9 in the middle of writing loses nothing that was acknowledged (${ROUNDS} rounds)`, async () => {
  const folder = path.join(root, 'kill')
  const random = seededRandom(1)
  const acknowledged: Acknowledged = new Map()
  let revision = 1
  for (let round = 0; round < ROUNDS; round++) {
    const writers = [1, 8, 64][round % 3] ?? 1
    const count = await writeAndDie(folder, { writers, seed: round * 1_000_000, acknowledge: 1 + random.int(writers * 30) }, acknowledged)
    await using store = await open(folder)
    assert.ok(store.revision >= revision + count, 'the revision counts every commit')
    revision = store.revision
    await check(store, acknowledged)
  }
})

test('a torn tail of the log opens, and costs no more than was torn', async () => {
  const folder = path.join(root, 'torn')
  const acknowledged: Acknowledged = new Map()
  await writeAndDie(folder, { writers: 8, seed: 0, acknowledge: 500 }, acknowledged)
  const last = Math.max(...[...acknowledged.values()].map((a) => a.revision))
  const random = seededRandom(2)
  const copy = path.join(root, 'torn-copy')
  const wal = path.join(copy, 'store.db-wal')
  const fresh = () => {
    rmSync(copy, { recursive: true, force: true })
    cpSync(folder, copy, { recursive: true })
  }
  fresh()
  const frame = readFileSync(wal).subarray(-8216)
  for (const tail of [frame, frame.subarray(0, 4000), Buffer.alloc(20_000, 0xff), Buffer.alloc(3)]) {
    fresh()
    appendFileSync(wal, tail)
    await using store = await open(copy)
    assert.ok(store.revision >= last, 'a record that was never finished harms none that was')
    await check(store, new Map(acknowledged))
  }
  for (const cut of [1, 24, 8216, 8217, ...Array.from({ length: 8 }, () => random.int(100_000))]) {
    fresh()
    truncateSync(wal, Math.max(0, statSync(wal).size - cut))
    await using store = await open(copy)
    assert.ok(store.revision > 1)
    await check(store, new Map(acknowledged), store.revision)
    await store.commit({ key: 'after', expect: { absent: true }, value: Buffer.from('v') })
  }
})
