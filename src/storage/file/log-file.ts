import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { JournalRecord } from '../journal.ts'
import { recordBytes, recordsOf } from '../record-bytes.ts'

const MAGIC = 'bowsprit log 1'
/** Length and checksum of what follows. */
const FRAME = 8

/** The first frame of a log. */
export interface LogHead {
  /** The id of the store, for its whole life; a client that reconnects recognizes the store by it. */
  readonly id: string
  /** Records up to here are of the past that is forgotten. */
  readonly compacted: number
}

/** Receives the contents of a log, from its beginning. */
export interface LogReader {
  begin(head: LogHead): void
  hear(records: readonly JournalRecord[]): void
}

/**
 * A file that grows at its end: frames of records, each with a checksum. A torn frame at the end is what a death left of a write that was
 * never acknowledged.
 */
export class LogFile {
  readonly #fd: number
  #sizeBytes: number

  private constructor(fd: number, sizeBytes: number) {
    this.#fd = fd
    this.#sizeBytes = sizeBytes
  }

  /** Creates a new log in place of an existing one. */
  static create(path: string, head: LogHead): LogFile {
    const file = new LogFile(openSync(path, 'w', 0o600), 0)
    file.#write([Buffer.from(JSON.stringify({ magic: MAGIC, ...head }))])
    return file
  }

  /** Reads a log from its beginning, and opens it behind its last whole frame. */
  static open(path: string, reader: LogReader): LogFile {
    const fd = openSync(path, 'r+')
    let at = 0
    for (let frame = readFrame(fd, at); frame !== undefined; frame = readFrame(fd, at)) {
      if (at === 0) reader.begin(headOf(frame))
      else reader.hear(recordsOf(frame))
      at += FRAME + frame.byteLength
    }
    if (at === 0) throw new Error('it does not begin as a log of Bowsprit does')
    ftruncateSync(fd, at)
    return new LogFile(fd, at)
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** All of the records, or none of them. */
  append(records: readonly JournalRecord[]): void {
    this.#write(recordBytes(records))
  }

  /** Calls back when what was appended so far survives a loss of power. */
  sync(done: (error: Error | null) => void): void {
    fdatasync(this.#fd, done)
  }

  /** The same, at once. */
  syncNow(): void {
    fdatasyncSync(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }

  #write(parts: readonly Buffer[]): void {
    const frame = Buffer.alloc(FRAME)
    const body = Buffer.concat(parts)
    frame.writeUInt32LE(body.byteLength, 0)
    frame.writeUInt32LE(crc32(body), 4)
    const bytes = Buffer.concat([frame, body])
    try {
      for (let done = 0; done < bytes.byteLength; )
        done += writeSync(this.#fd, bytes, done, bytes.byteLength - done, this.#sizeBytes + done)
    } catch (error) {
      ftruncateSync(this.#fd, this.#sizeBytes)
      throw error
    }
    this.#sizeBytes += bytes.byteLength
  }
}

function readFrame(fd: number, at: number): Buffer | undefined {
  const frame = Buffer.alloc(FRAME)
  if (readSync(fd, frame, 0, FRAME, at) < FRAME) return undefined
  const length = frame.readUInt32LE(0)
  const body = readWhole(fd, at + FRAME, length)
  return body !== undefined && crc32(body) === frame.readUInt32LE(4) ? body : undefined
}

/** Piece by piece: the length may be that of a torn frame. */
function readWhole(fd: number, from: number, length: number): Buffer | undefined {
  const pieces: Buffer[] = []
  for (let left = length; left > 0; ) {
    const piece = Buffer.allocUnsafe(Math.min(left, 1 << 20))
    const read = readSync(fd, piece, 0, piece.byteLength, from + length - left)
    if (read === 0) return undefined
    pieces.push(piece.subarray(0, read))
    left -= read
  }
  return Buffer.concat(pieces)
}

function headOf(frame: Buffer): LogHead {
  const head: unknown = JSON.parse(frame.toString())
  if (typeof head !== 'object' || head === null || !('magic' in head) || head.magic !== MAGIC)
    throw new Error('it is not a log of Bowsprit')
  const { id, compacted } = head as Record<string, unknown>
  if (typeof id !== 'string' || typeof compacted !== 'number') throw new Error('its first line lacks something')
  return { id, compacted }
}
