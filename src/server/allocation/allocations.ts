import type { Store } from '../../storage/store.ts'

/** Where allocations stand: apart from objects, which no watch cache has to hold. */
const ROOT = '/allocations/'

/** What somebody has. */
export interface Allocation {
  readonly name: string
  readonly owner: string
}

/**
 * Things of which there is one each (node ports), and who has them: a key each in the store. Taking one is a write on condition that nobody
 * has it, so servers that share a store need no other word with each other.
 */
export interface Allocations {
  /** True when the owner has it now; false when somebody else does. */
  take(name: string, owner: string): Promise<boolean>
  /** Gives it back if the owner has it. */
  give(name: string, owner: string): Promise<void>
  all(): Promise<readonly Allocation[]>
}

/** Allocations of one kind (`nodeports`). An owner is a text that names an object for ever (its uid). */
export function createAllocations(kind: string, store: Store): Allocations {
  const prefix = `${ROOT}${kind}/`
  return {
    async take(name, owner) {
      const result = await store.commit({ key: prefix + name, expect: { absent: true }, value: Buffer.from(owner) })
      return result.kind === 'stored' || (result.current !== undefined && textOf(result.current.value) === owner)
    },
    async give(name, owner) {
      const entry = await store.get(prefix + name)
      if (entry === undefined || textOf(entry.value) !== owner) return
      // Who was faster gave it back already.
      await store.commit({ key: prefix + name, expect: { revision: entry.revision }, value: undefined })
    },
    async all() {
      const { entries } = await store.range(prefix)
      return entries.map(({ key, value }) => ({ name: key.slice(prefix.length), owner: textOf(value) }))
    },
  }
}

const textOf = (value: Uint8Array) => Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
