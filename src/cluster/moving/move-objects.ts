import { existsSync } from 'node:fs'
import path from 'node:path'
import { equalJson } from '../../machinery/equal.ts'
import type { Json } from '../../machinery/object.ts'
import { LOG_NAME } from '../../storage/file/file-store.ts'
import type { Keyspace } from '../../storage/keyspace.ts'
import { fillFile } from '../../storage/snapshot/fill-file.ts'
import { fillSqlite } from '../../storage/snapshot/fill-sqlite.ts'
import { writeSnapshot } from '../../storage/snapshot/snapshot-file.ts'
import type { Entry, Store } from '../../storage/store.ts'
import { ConfigError } from '../config.ts'
import { collectObjects } from './collect-objects.ts'
import { encryptedKeyspace } from './encrypted-keyspace.ts'
import { type LocationDeps, openLocation } from './open-location.ts'
import type { StoreLocation } from './store-location.ts'

export interface Move {
  readonly from: StoreLocation
  readonly to: StoreLocation
}

export interface MoveDeps {
  readonly from: LocationDeps
  readonly to: LocationDeps
  /** What is done, and how far. */
  readonly progress: (what: string, done: number, all: number) => void
}

/** What was moved. */
export interface Moved {
  readonly objects: number
  readonly revision: number
  /** Whether objects have their revisions at the new place: etcd gives its own. */
  readonly keptRevisions: boolean
}

/** So many objects are written to an etcd at once. */
const AT_ONCE = 64

/** Copies all objects from one place to another one, which has none, and compares both at the end. @throws {ConfigError} */
export async function moveObjects({ from, to }: Move, deps: MoveDeps): Promise<Moved> {
  if (to.kind === 'etcd-snapshot')
    throw new ConfigError('a snapshot of etcd can only be read; import into an etcd, and save it with etcdctl')
  assertFree(to)
  const keyspace = await objectsAt(from, deps.from)
  await write(to, keyspace, deps)
  const keptRevisions = to.kind !== 'etcd'
  compare(keyspace, await objectsAt(to, deps.to), { keptRevisions, progress: deps.progress })
  return { objects: keyspace.range('').entries.length, revision: keyspace.revision, keptRevisions }
}

async function objectsAt(place: StoreLocation, deps: LocationDeps): Promise<Keyspace> {
  await using store = await openLocation(place, deps)
  return await collectObjects(store)
}

function assertFree(to: StoreLocation): void {
  const file = occupied(to)
  if (file !== undefined && existsSync(file)) throw new ConfigError(`${file} exists already: name a new place, or remove it`)
}

function occupied(to: StoreLocation): string | undefined {
  if (to.kind === 'sqlite') return path.join(to.folder, 'store')
  if (to.kind === 'file') return path.join(to.folder, LOG_NAME)
  return to.kind === 'snapshot' ? to.file : undefined
}

async function write(to: StoreLocation, keyspace: Keyspace, deps: MoveDeps): Promise<void> {
  if (to.kind === 'etcd') {
    await using store = await openLocation(to, deps.to)
    await writeEach(store, keyspace, deps)
  } else if (to.kind === 'sqlite') fillSqlite(path.join(to.folder, 'store'), encryptedKeyspace(keyspace, deps.to.encryption))
  else if (to.kind === 'file')
    fillFile(path.join(to.folder, LOG_NAME), { id: deps.to.random.uuid(), keyspace: encryptedKeyspace(keyspace, deps.to.encryption) })
  else if (to.kind === 'snapshot') await writeSnapshot(to.file, { keyspace, about: { objectsAlone: true } })
}

/** In the order in which the objects were changed last. */
async function writeEach(store: Store, keyspace: Keyspace, { progress, to }: MoveDeps): Promise<void> {
  const entries = [...keyspace.entries()].sort((a, b) => a.revision - b.revision)
  const present = await store.range('', { limit: 1 })
  if (present.entries.length > 0) throw new ConfigError('the etcd has keys below this prefix already: name another prefix, or empty it')
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    progress('written', at, entries.length)
    await Promise.all(entries.slice(at, at + AT_ONCE).map((entry) => writeOne(store, entry, to.clock.now())))
  }
}

async function writeOne(store: Store, { key, value, expiresAt }: Entry, nowMs: number): Promise<void> {
  const ttl = expiresAt === undefined ? {} : { ttlMs: Math.max(1000, expiresAt - nowMs) }
  const result = await store.commit({ key, expect: { absent: true }, value, ...ttl })
  if (result.kind === 'conflict')
    throw new ConfigError(`${key} was written by another program meanwhile: move into an etcd that no other program uses`)
}

interface Comparison {
  readonly keptRevisions: boolean
  readonly progress: MoveDeps['progress']
}

/** @throws {Error} for the first object that differs */
function compare(from: Keyspace, to: Keyspace, { keptRevisions, progress }: Comparison): void {
  const entries = [...from.entries()]
  for (const [i, entry] of entries.entries()) {
    progress('compared', i, entries.length)
    const found = to.get(entry.key)
    if (found === undefined || !isSame(entry, found)) throw new Error(`${entry.key} is not what it was: the move failed`)
    if (keptRevisions && found.revision !== entry.revision) throw new Error(`${entry.key} has another revision: the move failed`)
  }
  const count = [...to.entries()].length
  if (count !== entries.length) throw new Error(`there are ${count} objects in place of ${entries.length}: the move failed`)
}

/** Engines write an object in forms of their own. */
function isSame(a: Entry, b: Entry): boolean {
  return Buffer.compare(a.value, b.value) === 0 || equalJson(jsonOf(a), jsonOf(b))
}

const jsonOf = ({ value }: Entry): Json => JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString())
