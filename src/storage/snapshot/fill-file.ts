import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { messageOf } from '../../base/message-of.ts'
import { LogFile } from '../file/log-file.ts'
import type { Keyspace } from '../keyspace.ts'
import { SnapshotError } from './snapshot-error.ts'

/** So many entries are written at once. */
const SLICE = 512

/** Makes the file of a store (`openFileStore`) that begins with these keys; it appears whole or not at all. There must be none yet. */
export function fillFile(file: string, { id, keyspace }: { readonly id: string; readonly keyspace: Keyspace }): void {
  const draft = `${file}.${process.pid}.tmp`
  try {
    makeFolder(path.dirname(file), 0o700)
    const { entries, revision } = keyspace.range('')
    const log = LogFile.create(draft, { id, compacted: revision })
    try {
      const records = entries
        .toSorted((a, b) => a.revision - b.revision)
        .map((entry) => ({ revision: entry.revision, key: entry.key, entry }))
      for (let at = 0; at < records.length; at += SLICE) log.append(records.slice(at, at + SLICE))
    } finally {
      log.close()
    }
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new SnapshotError('unwritable', `${file} cannot be filled: ${messageOf(cause)}`, { cause })
  }
}
