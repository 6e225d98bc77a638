import { createHash } from 'node:crypto'
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '../../base/message-of.ts'
import { quiet } from '../../base/quiet.ts'
import type { JournalRecord } from '../journal.ts'
import { Keyspace } from '../keyspace.ts'
import { recordBytes, recordsOf } from '../record-bytes.ts'
import type { Entry } from '../store.ts'
import { SnapshotError } from './snapshot-error.ts'

/** The contents of a file: the keys, and the caller's own data. */
export interface SnapshotContents {
  readonly keyspace: Keyspace
  /** JSON. */
  readonly about: unknown
}

const MAGIC = 'bowsprit-snapshot '
const FORMAT = 1
const FIRST_LINE = Buffer.from(`${MAGIC}${FORMAT}\n`)
const SUM_BYTES = 32
/** Entries are written in frames of about this size, so that neither memory nor a turn of the event loop grows with the store. */
const FRAME_BYTES = 1 << 20
/** A larger file is not read: it is read as a whole. */
const MOST_BYTES = 1 << 30

/**
 * Writes the present of a keyspace into a file that only this user may read. The file appears whole or not at all, and is on disk when this
 * resolves. Layout: a line with the version; then frames (length, bytes): one of JSON, those of the entries, an empty one; then the SHA-256
 * of all that.
 */
export async function writeSnapshot(file: string, { keyspace, about }: SnapshotContents): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await rm(draft, { force: true })
    const handle = await open(draft, 'wx', 0o600)
    try {
      await writeFrames(handle, keyspace, about)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
    await syncFolder(path.dirname(file))
  } catch (cause) {
    await quiet(rm(draft, { force: true }), 'the first failure is the one to tell')
    throw new SnapshotError('unwritable', `the snapshot ${file} cannot be written: ${messageOf(cause)}`, { cause })
  }
}

async function writeFrames(handle: FileHandle, keyspace: Keyspace, about: unknown): Promise<void> {
  const sum = createHash('sha256')
  const write = async (...parts: Buffer[]) => {
    const bytes = Buffer.concat(parts)
    sum.update(bytes)
    await handle.appendFile(bytes)
  }
  const frame = (...parts: Buffer[]) => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(parts.reduce((n, part) => n + part.length, 0))
    return write(length, ...parts)
  }
  const { entries, revision } = keyspace.range('')
  await write(FIRST_LINE)
  await frame(Buffer.from(JSON.stringify({ revision, entries: entries.length, about })))
  for (const records of parcels(entries)) await frame(...recordBytes(records))
  await frame()
  await handle.appendFile(sum.digest())
}

function* parcels(entries: readonly Entry[]): Generator<JournalRecord[]> {
  let parcel: JournalRecord[] = []
  let sizeBytes = 0
  for (const entry of entries) {
    parcel.push({ revision: entry.revision, key: entry.key, entry })
    sizeBytes += entry.sizeBytes + entry.key.length
    if (sizeBytes < FRAME_BYTES) continue
    yield parcel
    parcel = []
    sizeBytes = 0
  }
  if (parcel.length > 0) yield parcel
}

/** Reads a file that `writeSnapshot` wrote. Its past is gone: it begins at the revision at which it was saved. */
export async function readSnapshot(file: string): Promise<SnapshotContents> {
  let bytes: Buffer
  try {
    const { size } = await stat(file)
    if (size > MOST_BYTES) throw new RangeError(`it has ${size} bytes; at most ${MOST_BYTES} are read`)
    bytes = await readFile(file)
  } catch (cause) {
    throw new SnapshotError('unreadable', `the snapshot ${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
  const body = checkedBody(file, bytes)
  try {
    return contentsOf(body)
  } catch (cause) {
    throw damaged(file, messageOf(cause), cause)
  }
}

/** The bytes between the first line and the checksum, after both were checked. */
function checkedBody(file: string, bytes: Buffer): Buffer {
  const end = bytes.subarray(0, 64).indexOf('\n')
  const version = /^(\d{1,9})$/.exec(bytes.toString('latin1', MAGIC.length, Math.max(0, end)))?.[1]
  if (!bytes.subarray(0, MAGIC.length).equals(Buffer.from(MAGIC)) || version === undefined)
    throw new SnapshotError('not-a-snapshot', `${file} is no snapshot of a cluster: name a file that "save" wrote`)
  if (Number(version) !== FORMAT)
    throw new SnapshotError(
      'version',
      `the snapshot ${file} has format ${version}, and this version of Bowsprit knows only ${FORMAT}: save it again with this version`,
    )
  const sumAt = bytes.length - SUM_BYTES
  if (sumAt < FIRST_LINE.length) throw damaged(file, 'it is cut short')
  const sum = createHash('sha256').update(bytes.subarray(0, sumAt)).digest()
  if (!sum.equals(bytes.subarray(sumAt))) throw damaged(file, 'its checksum is wrong')
  return bytes.subarray(FIRST_LINE.length, sumAt)
}

function contentsOf(body: Buffer): SnapshotContents {
  const [head, ...frames] = framesOf(body)
  const { revision, entries, about } = headOf(head)
  const keyspace = new Keyspace(revision)
  let count = 0
  for (const frame of frames) {
    for (const { key, entry } of recordsOf(frame)) {
      if (entry === undefined || !isRevision(entry.revision) || entry.revision > revision || entry.createRevision > entry.revision)
        throw new RangeError(`the entry ${key} did not exist at revision ${revision}`)
      if (keyspace.get(key) !== undefined) throw new RangeError(`the key ${key} occurs twice`)
      keyspace.applyCompacted(key, entry)
      count++
    }
  }
  if (count !== entries) throw new RangeError(`it has ${count} entries in place of ${entries}`)
  return { keyspace, about }
}

function framesOf(body: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let at = 0; at + 4 <= body.length; ) {
    const length = body.readUInt32LE(at)
    at += 4
    if (length === 0 && at === body.length) return frames
    if (length === 0 || length > body.length - at) break
    frames.push(body.subarray(at, at + length))
    at += length
  }
  throw new RangeError('the lengths of its parts do not add up')
}

function headOf(frame: Buffer | undefined): { revision: number; entries: number; about: unknown } {
  const head: unknown = JSON.parse(frame?.toString() ?? '')
  if (typeof head === 'object' && head !== null && 'revision' in head && 'entries' in head && 'about' in head) {
    const { revision, entries, about } = head
    if (isRevision(revision) && typeof entries === 'number') return { revision, entries, about }
  }
  throw new RangeError('its head is missing')
}

/** Half of the safe integers: a store that starts from a snapshot must have room to count on. */
const MAX_REVISION = 2 ** 52

const isRevision = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_REVISION

/** A rename lasts when its folder is on disk. Where folders cannot be opened, the system sees to it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  try {
    await handle?.sync()
  } catch {
    // A file system that knows no such thing.
  } finally {
    await handle?.close()
  }
}
const damaged = (file: string, why: string, cause?: unknown) =>
  new SnapshotError('damaged', `the snapshot ${file} is damaged (${why}): save it again, or put a copy in its place`, { cause })
