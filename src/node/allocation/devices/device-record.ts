import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import { nextTurn } from '../../../base/turns.ts'
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { type DeviceLedger, idsOf } from './device-ledger.ts'
import type { ResourcePool } from './resource-pool.ts'

export interface DeviceRecordDeps {
  readonly file: CheckpointFile
  readonly ledger: DeviceLedger
  readonly pools: ReadonlyMap<string, ResourcePool>
  readonly log: Logger
  readonly warn: (reason: string, message: string) => void
}

/** Where a checkpoint lies; undefined text: there is none yet. */
export interface CheckpointFile {
  read(): string | undefined
  write(text: string): void
}

/** What of a device manager outlives its process: the ledger and the known resources, in a checkpoint. */
export class DeviceRecord {
  readonly #deps: DeviceRecordDeps
  #due = false
  #closed = false

  constructor(deps: DeviceRecordDeps) {
    this.#deps = deps
  }

  /** Fills the ledger with what was written last; the resources that were served then. What cannot be used is told, and left. */
  restore(): readonly string[] {
    const { file, ledger, warn } = this.#deps
    let read: Checkpoint
    try {
      const text = file.read()
      if (text === undefined) return []
      read = readCheckpoint(text)
    } catch (error) {
      // What runs is known from the pods' own statuses; the rest is given out anew.
      warn('DeviceCheckpointUnreadable', `the checkpoint of the device manager cannot be used: ${messageOf(error)}`)
      return []
    }
    for (const entry of read.entries) {
      if (ledger.insert(entry)) continue
      warn(
        'DeviceGivenTwice',
        `the checkpoint gives ${idsOf(entry).join(', ')} of ${entry.resource} to two pods; ${entry.podUid} loses them`,
      )
    }
    return [...read.registered.keys()]
  }

  /** Throws where the file cannot be written. */
  save(): void {
    const { file, ledger, pools } = this.#deps
    const registered = new Map([...pools].map(([name, pool]) => [name, pool.healthyIds]))
    try {
      file.write(writeCheckpoint({ entries: ledger.entries(), registered }))
    } catch (error) {
      throw new Error(`failed to write checkpoint file "kubelet_internal_checkpoint": ${messageOf(error)}`, { cause: error })
    }
  }

  /** For what nobody waits for; several changes of one turn are one write. */
  saveSoon(): void {
    if (this.#due) return
    this.#due = true
    nextTurn(() => {
      if (!this.#due || this.#closed) return
      this.#due = false
      try {
        this.save()
      } catch (error) {
        this.#deps.warn('DeviceCheckpointUnwritable', messageOf(error))
      }
    })
  }

  /** Writes what was to be written soon; after it nothing is. */
  close(): void {
    this.#closed = true
    if (!this.#due) return
    try {
      this.save()
    } catch (error) {
      this.#deps.log.warn('the last checkpoint could not be written', { error })
    }
  }
}
