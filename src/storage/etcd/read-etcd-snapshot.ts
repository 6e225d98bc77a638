import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { messageOf } from '../../base/message-of.ts'
import { ProtobufError } from '../../machinery/protobuf/wire.ts'
import { Keyspace } from '../keyspace.ts'
import { SnapshotError } from '../snapshot/snapshot-error.ts'
import type { Entry } from '../store.ts'
import { BoltError, BoltFile } from './bolt-file.ts'
import { keyValue } from './messages.ts'

const SUM_BYTES = 32
/** Databases have whole pages: what is left over is the checksum that `etcdctl snapshot save` appends. */
const LEAST_PAGE_BYTES = 512
/** The file is read as a whole. */
const MOST_BYTES = 2 ** 31
/** A revision's key: main and sub revision, big-endian, around a `_`; a deletion has one byte more. */
const REVISION_BYTES = 17

/**
 * The present keys of a snapshot of etcd below a prefix, which is cut off, with their revisions. Also reads the `db` file of a member that
 * is stopped.
 * @throws {SnapshotError}
 */
export function readEtcdSnapshot(file: string, prefix: string): Keyspace {
  const bytes = readBytes(file)
  try {
    return keyspaceOf(new BoltFile(checked(file, bytes)), prefix)
  } catch (cause) {
    if (!(cause instanceof BoltError || cause instanceof ProtobufError)) throw cause
    throw new SnapshotError('damaged', `the snapshot ${file} of etcd cannot be read (${cause.message}): save it again`, { cause })
  }
}

function readBytes(file: string): Buffer {
  try {
    const { size } = statSync(file)
    if (size > MOST_BYTES) throw new RangeError(`it has ${size} bytes; at most ${MOST_BYTES} are read: defragment the etcd first`)
    return readFileSync(file)
  } catch (cause) {
    throw new SnapshotError('unreadable', `the snapshot ${file} cannot be read: ${messageOf(cause)}`, { cause })
  }
}

function checked(file: string, bytes: Buffer): Buffer {
  if (bytes.length % LEAST_PAGE_BYTES !== SUM_BYTES) return bytes
  const end = bytes.length - SUM_BYTES
  const body = bytes.subarray(0, end)
  if (!createHash('sha256').update(body).digest().equals(bytes.subarray(end)))
    throw new SnapshotError('damaged', `the snapshot ${file} of etcd is damaged (its checksum is wrong): save it again`)
  return body
}

function keyspaceOf(bolt: BoltFile, prefix: string): Keyspace {
  const present = new Map<string, Entry>()
  let latest = 1
  for (const { key: at, value } of bolt.bucket('key')) {
    if (at.length < REVISION_BYTES) throw new BoltError('a revision is cut short')
    latest = Math.max(latest, Number(at.readBigUInt64BE(0)))
    const pair = keyValue.decode(value)
    const key = Buffer.from(pair.key).toString()
    if (!key.startsWith(prefix)) continue
    const inside = key.slice(prefix.length)
    if (at.length > REVISION_BYTES) present.delete(inside)
    else present.set(inside, entryOf(inside, pair))
  }
  const keyspace = new Keyspace(latest)
  for (const entry of present.values()) keyspace.applyCompacted(entry.key, entry)
  return keyspace
}

const entryOf = (key: string, { value, modRevision, createRevision }: ReturnType<typeof keyValue.decode>): Entry => ({
  key,
  // A copy, because the bytes are a part of the whole file.
  value: Uint8Array.from(value),
  sizeBytes: value.length,
  revision: modRevision,
  createRevision,
  expiresAt: undefined,
})
