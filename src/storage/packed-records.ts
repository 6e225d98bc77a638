import type { JournalRecord } from './journal.ts'
import { KeptEntry } from './kept-entry.ts'
import type { Entry } from './store.ts'

/**
 * Many records as three things, because that is what crosses between threads cheaply: one string of all keys, one array of numbers, one of
 * bytes. (A `Uint8Array` on its own would drag its whole pool across.)
 */
export interface Packed {
  readonly keys: string
  /**
   * For each record: revision, length of the key, length of the value (-1: a deletion), revision of creation, end of the lease (0: none).
   */
  readonly numbers: Float64Array<ArrayBuffer>
  readonly values: Uint8Array<ArrayBuffer>
}

const FIELDS = 5

/** Packs records; see `packedBuffers` for what may be transferred. */
export function pack(records: readonly JournalRecord[]): Packed {
  let sizeBytes = 0
  for (const { entry } of records) sizeBytes += entry?.sizeBytes ?? 0
  const numbers = new Float64Array(records.length * FIELDS)
  const values = new Uint8Array(sizeBytes)
  let keys = ''
  let at = 0
  let n = 0
  for (const { revision, key, entry } of records) {
    keys += key
    numbers[n] = revision
    numbers[n + 1] = key.length
    numbers[n + 2] = entry?.sizeBytes ?? -1
    numbers[n + 3] = entry?.createRevision ?? 0
    numbers[n + 4] = entry?.expiresAt ?? 0
    n += FIELDS
    if (entry === undefined) continue
    values.set(entry.value, at)
    at += entry.sizeBytes
  }
  return { keys, numbers, values }
}

/** The buffers of a packed batch that change owner with the message. */
export const packedBuffers = (packed: Packed): ArrayBuffer[] => [packed.numbers.buffer, packed.values.buffer]

/** How many records a batch has. */
export const packedCount = (packed: Packed): number => packed.numbers.length / FIELDS

/** The records of a batch, in order; their values are views into it. */
export function* unpack({ keys, numbers, values }: Packed): Generator<JournalRecord, void> {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
  let keyAt = 0
  let valueAt = 0
  for (let n = 0; n < numbers.length; n += FIELDS) {
    const revision = numbers[n] ?? 0
    const keyLength = numbers[n + 1] ?? 0
    const size = numbers[n + 2] ?? -1
    const createRevision = numbers[n + 3] ?? 0
    const expiresAt = numbers[n + 4] ?? 0
    const key = keys.slice(keyAt, keyAt + keyLength)
    keyAt += keyLength
    let entry: Entry | undefined
    if (size >= 0) {
      const value = bytes.subarray(valueAt, valueAt + size)
      entry = new KeptEntry({ key, value, revision, createRevision, expiresAt: expiresAt === 0 ? undefined : expiresAt })
      valueAt += size
    }
    yield { revision, key, entry }
  }
}
