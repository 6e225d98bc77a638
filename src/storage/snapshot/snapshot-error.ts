/**
 * - `not-a-snapshot`: the file is something else. `version`: another version of Bowsprit wrote it. `damaged`: it is not what was written.
 * - `unreadable`, `unwritable`: the system does not let us.
 * - `occupied`: there is a cluster already where this one shall live.
 * - `time`: it was saved by a clock that is ahead of this one.
 */
export type SnapshotErrorCode = 'not-a-snapshot' | 'version' | 'damaged' | 'unreadable' | 'unwritable' | 'occupied' | 'time'

/** Why a snapshot cannot be written or used; the message has the file and what to do. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
  readonly code: SnapshotErrorCode
  constructor(code: SnapshotErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
