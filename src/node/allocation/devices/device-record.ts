import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import { nextTurn } from '../../../base/turns.ts'
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { type DeviceLedger, idsOf } from './device-ledger.ts'
import type { ResourcePool } from './resource-pool.ts'

export interface DeviceRecordDeps {
  readonly file: DeviceCheckpointFile
  readonly ledger: DeviceLedger
  readonly pools: ReadonlyMap<string, ResourcePool>
  readonly log: Logger
  readonly warn: (reason: string, message: string) => void
}

/** A checkpoint file; undefined text: it does not exist yet. */
export interface DeviceCheckpointFile {
  read(): string | undefined
  write(text: string): void
}

/** The persistent state of a device manager, in a checkpoint: the ledger and the known resources. */
export class DeviceRecord {
  readonly #deps: DeviceRecordDeps
  #due = false
  #closed = false

  constructor(deps: DeviceRecordDeps) {
    this.#deps = deps
  }

  /** Restores the ledger; returns the resources that were served then. An invalid checkpoint is reported and ignored. */
  restore(): readonly string[] {
    const { file, ledger, warn } = this.#deps
    let read: Checkpoint
    try {
      const text = file.read()
      if (text === undefined) return []
      read = readCheckpoint(text)
    } catch (error) {
      // Running pods are restored from their own statuses; the rest is allocated anew.
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

  /** Throws if the file cannot be written. */
  save(): void {
    const { file, ledger, pools } = this.#deps
    const registered = new Map([...pools].map(([name, pool]) => [name, pool.healthyIds]))
    try {
      file.write(writeCheckpoint({ entries: ledger.entries(), registered }))
    } catch (error) {
      throw new Error(`failed to write checkpoint file "kubelet_internal_checkpoint": ${messageOf(error)}`, { cause: error })
    }
  }

  /** Writes later, for changes that no caller waits for: several changes of one turn are one write. */
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

  /** Writes pending changes; nothing is written after it. */
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
