import type { Store } from '../../storage/store.ts'

/** Who serves this cluster's store: this server, and those beside it. */
export interface ServerAddresses {
  /** Nobody else can be there: the port in the endpoints is this server's. */
  readonly alone: boolean
  /** This server is there; resolves with the addresses of all that are, sorted. */
  renew(): Promise<readonly string[]>
  /** It goes; resolves with those that stay. */
  leave(): Promise<readonly string[]>
}

/** Nobody else can have the store. */
export function soleAddress(address: string): ServerAddresses {
  return { alone: true, renew: async () => [address], leave: async () => [] }
}

/** Where each server of a store that several share says that it is there. Beside all objects. */
const PREFIX = '/masterleases/'
/** Who has not said so for this long is gone. */
const LEASE_MS = 15_000

/** Servers of one store find each other by entries in it, which end when they are not renewed. */
export function sharedAddresses(store: Pick<Store, 'get' | 'range' | 'commit'>, address: string): ServerAddresses {
  const key = PREFIX + address
  const there = async () => (await store.range(PREFIX)).entries.map((entry) => entry.key.slice(PREFIX.length)).sort()
  return {
    alone: false,
    async renew() {
      const present = await store.get(key)
      const value = Buffer.from(JSON.stringify({ kind: 'Endpoints', apiVersion: 'v1', subsets: [{ addresses: [{ ip: address }] }] }))
      const expect = present === undefined ? { absent: true as const } : { revision: present.revision }
      // A conflict is another server with the same address: it is there, then.
      await store.commit({ key, expect, value, ttlMs: LEASE_MS })
      return there()
    },
    async leave() {
      const present = await store.get(key)
      if (present !== undefined) await store.commit({ key, expect: { revision: present.revision }, value: undefined })
      return there()
    },
  }
}
