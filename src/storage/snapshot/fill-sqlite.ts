import { existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Keyspace } from '../keyspace.ts'
import { LogDatabase } from '../sqlite/database.ts'
import { SnapshotError } from './snapshot-error.ts'

/** Makes the folder of a store that begins with these keys; it appears whole or not at all. There must be none yet. */
export function fillSqlite(folder: string, keyspace: Keyspace): void {
  if (existsSync(folder)) throw new SnapshotError('occupied', `${folder} holds a store already`)
  const draft = `${folder}.${process.pid}.tmp`
  rmSync(draft, { recursive: true, force: true })
  try {
    makeFolder(path.dirname(folder), 0o700)
    const { entries, revision } = keyspace.range('')
    const database = new LogDatabase({ folder: draft, maxFileBytes: undefined })
    try {
      database.transaction(() => {
        for (const entry of entries.toSorted((a, b) => a.revision - b.revision))
          database.append({ revision: entry.revision, key: entry.key, entry })
        database.markCompacted(revision)
      })
    } finally {
      database.close()
    }
    renameSync(draft, folder)
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true })
    throw new SnapshotError('unwritable', `${folder} cannot be filled: ${messageOf(cause)}`, { cause })
  }
}
