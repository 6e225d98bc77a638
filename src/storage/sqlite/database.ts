import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { makeFolder } from '../../base/make-folder.ts'
import type { JournalRecord } from '../journal.ts'
import { KeptEntry } from '../kept-entry.ts'
import type { Revision } from '../store.ts'
import { DamageError } from './faults.ts'
import type { WorkerConfig } from './protocol.ts'

/** "bows": marks the file as ours. */
const APPLICATION_ID = 0x626f7773
const FORMAT = 1
const PAGE_BYTES = 8192
/** How long the write-ahead log gets before it moves into the file. Longer is not faster, and the writer pauses for longer. */
const CHECKPOINT_BYTES = 4 << 20

const TABLES = `
  CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    value BLOB,                    -- null: a deletion
    created INTEGER NOT NULL,      -- the revision that created the key; 0 for a deletion
    expires INTEGER NOT NULL,      -- milliseconds since the epoch; 0: never
    sum INTEGER NOT NULL           -- CRC-32 of key and value
  ) STRICT;
  CREATE TABLE compacted (revision INTEGER NOT NULL) STRICT;
  INSERT INTO compacted VALUES (1);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`

/** The paths inside a store's folder. */
export const storeFile = (folder: string): string => path.join(folder, 'store.db')
const ownerFile = (folder: string) => path.join(folder, 'store.owner')

/** The log on disk. Runs in the worker alone, where waiting for the disk blocks no other work. */
export class LogDatabase {
  readonly #folder: string
  readonly #db: DatabaseSync
  readonly #insert: StatementSync
  readonly #remove: StatementSync
  readonly #compact: StatementSync

  /** Creates or opens the log and locks it; the lock ends with the process, however it ends. */
  constructor({ folder, maxFileBytes }: WorkerConfig) {
    makeFolder(folder, 0o700)
    createPrivately(storeFile(folder))
    this.#folder = folder
    this.#db = new DatabaseSync(storeFile(folder))
    try {
      this.#prepare(maxFileBytes)
      this.#insert = this.#db.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)')
      this.#remove = this.#db.prepare('DELETE FROM log WHERE revision = ?')
      this.#compact = this.#db.prepare('UPDATE compacted SET revision = ?')
      nameOwner(folder)
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** The process that has the folder, as far as it is known. */
  static owner(folder: string): string | undefined {
    try {
      return readFileSync(ownerFile(folder), 'utf8').trim()
    } catch {
      return undefined
    }
  }

  /** The revision before which the past is gone. */
  compacted(): Revision {
    const row = this.#db.prepare('SELECT revision FROM compacted').get()
    if (typeof row?.revision !== 'number') throw new DamageError('its compaction mark is missing')
    return row.revision
  }

  /** All records, in order, each checked against its sum. */
  *records(): Generator<JournalRecord, void> {
    for (const row of this.#db.prepare('SELECT revision, key, value, created, expires, sum FROM log ORDER BY revision').iterate()) {
      const { revision, key, value, created, expires, sum } = row
      if (typeof revision !== 'number' || typeof key !== 'string' || typeof created !== 'number' || typeof expires !== 'number')
        throw new DamageError(`the record of revision ${String(revision)} is not one of ours`)
      const bytes = value instanceof Uint8Array ? value : undefined
      if (sum !== checksum(key, bytes)) throw new DamageError(`the record of revision ${revision} (${key}) is not what was written`)
      const entry =
        bytes && new KeptEntry({ key, value: bytes, revision, createRevision: created, expiresAt: expires === 0 ? undefined : expires })
      yield { revision, key, entry }
    }
  }

  /** Does `work` in one transaction, which is on disk when this returns; when this throws, nothing of it is. */
  transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#db.exec('COMMIT')
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }

  append({ revision, key, entry }: JournalRecord): void {
    const sum = checksum(key, entry?.value)
    this.#insert.run(revision, key, entry?.value ?? null, entry?.createRevision ?? 0, entry?.expiresAt ?? 0, sum)
  }

  markCompacted(revision: Revision): void {
    this.#compact.run(revision)
  }

  remove(revision: Revision): void {
    this.#remove.run(revision)
  }

  /** Writes everything into the one file and releases the lock. */
  close(): void {
    rmSync(ownerFile(this.#folder), { force: true })
    this.#db.close()
  }

  #prepare(maxFileBytes: number | undefined): void {
    const db = this.#db
    // With the lock kept for good no shared memory file is needed, and the system frees it when we die.
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL`)
    db.exec(`PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = ${CHECKPOINT_BYTES / PAGE_BYTES}`)
    db.exec(`PRAGMA journal_size_limit = ${4 * CHECKPOINT_BYTES}`)
    if (maxFileBytes !== undefined) db.exec(`PRAGMA max_page_count = ${Math.ceil(maxFileBytes / PAGE_BYTES)}`)
    const { objects } = db.prepare('SELECT count(*) AS objects FROM sqlite_schema').get() ?? {}
    if (objects === 0) {
      this.transaction(() => db.exec(TABLES))
      return
    }
    const { application_id: id } = db.prepare('PRAGMA application_id').get() ?? {}
    const { user_version: format } = db.prepare('PRAGMA user_version').get() ?? {}
    if (id !== APPLICATION_ID) throw new DamageError('it is a database, but not one of Bowsprit')
    if (format !== FORMAT) throw new DamageError(`it has format ${String(format)}, and this version of Bowsprit knows only ${FORMAT}`)
  }
}

/** Only the owner may read the file, and the files that SQLite creates beside it, which get the same mode. */
function createPrivately(file: string): void {
  // An existing file must not even be opened: closing it would drop the lock that this process may have on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

/** For the message that another process will show; without it, that message is only less precise. */
function nameOwner(folder: string): void {
  try {
    writeFileSync(ownerFile(folder), `${process.pid}\n`, { mode: 0o600 })
  } catch {
    rmSync(ownerFile(folder), { force: true })
  }
}

function checksum(key: string, value: Uint8Array | undefined): number {
  const sum = crc32(key)
  return value === undefined ? sum : crc32(value, sum)
}
