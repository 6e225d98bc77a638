import type { Store } from '../../storage/store.ts'

/** The key prefix of allocations: outside of objects, so that no watch cache holds them. */
const ROOT = '/allocations/'

/** An allocated name and its owner. */
export interface Allocation {
  readonly name: string
  /** Undefined: the store does not say. */
  readonly owner: string | undefined
}

/**
 * Exclusive allocations (node ports), with a key each in the store. An allocation is a write on condition that the key does not exist, so
 * servers that share a store need no other coordination.
 */
export interface Allocations {
  /** True if the owner has it now; false if another one does. */
  take(name: string, owner: string): Promise<boolean>
  /** Releases it, if the owner has it. */
  give(name: string, owner: string): Promise<void>
  all(): Promise<readonly Allocation[]>
}

/** Allocations of one kind (`nodeports`). An owner is a permanent id of an object (its UID). */
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
      // A conflict means that it was released already.
      await store.commit({ key: prefix + name, expect: { revision: entry.revision }, value: undefined })
    },
    async all() {
      const { entries } = await store.range(prefix)
      return entries.map(({ key, value }) => ({ name: key.slice(prefix.length), owner: textOf(value) }))
    },
  }
}

const textOf = (value: Uint8Array) => Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
