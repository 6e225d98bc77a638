import type { Entry, Revision } from './store.ts'
import type { ValueBlock } from './value-block.ts'

/** An entry in memory: its value may be packed together with others, and is then unpacked for each read. */
export class KeptEntry implements Entry {
  readonly key: string
  readonly revision: Revision
  readonly createRevision: Revision
  readonly expiresAt: number | undefined
  readonly sizeBytes: number
  #value: Uint8Array | undefined
  #block: ValueBlock | undefined
  /** Where the value begins in the block. */
  #at = 0

  constructor({ key, value, revision, createRevision, expiresAt }: Omit<Entry, 'sizeBytes'>) {
    this.key = key
    this.revision = revision
    this.createRevision = createRevision
    this.expiresAt = expiresAt
    this.sizeBytes = value.byteLength
    this.#value = value
  }

  get value(): Uint8Array {
    return this.#value ?? this.#block?.read(this.#at, this.sizeBytes) ?? NOTHING
  }

  get isPacked(): boolean {
    return this.#block !== undefined
  }

  /** Its value is now in the block, at this position. */
  packedInto(block: ValueBlock, at: number): void {
    this.#block = block
    this.#at = at
    this.#value = undefined
  }
}

const NOTHING = new Uint8Array(0)
