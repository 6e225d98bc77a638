import type { RangeAllocation } from '../../resources/types/core.ts'
import type { Store } from '../../storage/store.ts'
import type { Allocation, Allocations } from './allocations.ts'
import type { NodePortRange } from './node-port-range.ts'

const KEY = '/ranges/servicenodeports'
/** Tries of one change, each after another server's. */
const MAX_TRIES = 100

/** A RangeAllocation with this data: `undefined` as revision means that there is none yet. */
interface Bitmap {
  readonly bits: bigint
  readonly revision: number | undefined
}

/**
 * Node ports as kube-apiserver allocates them: one bitmap in the store, changed on condition that it is the one that was read. It does not
 * say who has a port.
 */
export function createRangeAllocations({ first, last }: NodePortRange, store: Store): Allocations {
  const range = `${first}-${last}`

  function parse(entry: { readonly value: Uint8Array; readonly revision: number } | undefined): Bitmap {
    if (entry === undefined) return { bits: 0n, revision: undefined }
    const stored = JSON.parse(Buffer.from(entry.value).toString()) as RangeAllocation
    if (stored.range !== range)
      throw new Error(
        `the node ports in the store are of the range ${stored.range}, those of this server of ${range}: give all servers one range`,
      )
    return { bits: bitsOf(Buffer.from(stored.data, 'base64')), revision: entry.revision }
  }

  /** Changes the bitmap; `change` returns undefined if nothing is to be changed. */
  async function update(change: (bits: bigint) => bigint | undefined): Promise<boolean> {
    let current = await store.get(KEY)
    for (let i = 0; i < MAX_TRIES; i++) {
      const { bits, revision } = parse(current)
      const changed = change(bits)
      if (changed === undefined) return false
      const object = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range, data: bytesOf(changed).toString('base64') }
      const expect = revision === undefined ? ({ absent: true } as const) : { revision }
      const result = await store.commit({ key: KEY, expect, value: Buffer.from(JSON.stringify(object)) })
      if (result.kind === 'stored') return true
      current = result.current
    }
    throw new Error('the node ports change all the time: try again later')
  }

  const bitOf = (name: string) => 1n << BigInt(Number(name) - first)
  return {
    take: (name) => update((bits) => ((bits & bitOf(name)) === 0n ? bits | bitOf(name) : undefined)),
    async give(name) {
      await update((bits) => ((bits & bitOf(name)) === 0n ? undefined : bits & ~bitOf(name)))
    },
    async all() {
      const { bits } = parse(await store.get(KEY))
      const found: Allocation[] = []
      for (let port = first; port <= last; port++)
        if ((bits & bitOf(String(port))) !== 0n) found.push({ name: String(port), owner: undefined })
      return found
    },
  }
}

/** Bit n of the number is the nth port; the number is written as bytes, the highest first. */
const bitsOf = (bytes: Buffer): bigint => (bytes.byteLength === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`))

function bytesOf(bits: bigint): Buffer {
  if (bits === 0n) return Buffer.alloc(0)
  const hex = bits.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}
