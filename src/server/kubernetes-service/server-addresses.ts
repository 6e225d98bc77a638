import type { Store } from '../../storage/store.ts'

/** The servers of this cluster's store: this one, and others. */
export interface ServerAddresses {
  /** There cannot be other servers: the port in the endpoints is this server's. */
  readonly alone: boolean
  /** Renews this server's lease; resolves with the addresses of all servers, sorted. */
  renew(): Promise<readonly string[]>
  /** Removes this server's lease; resolves with the remaining addresses. */
  leave(): Promise<readonly string[]>
}

/** For a store that only this server can use. */
export function soleAddress(address: string): ServerAddresses {
  return { alone: true, renew: async () => [address], leave: async () => [] }
}

/** The key prefix of the leases of servers that share a store. Outside of all objects. */
const PREFIX = '/masterleases/'
/** The duration of a lease. */
const LEASE_MS = 15_000

/** Servers of one store find each other by leases in it. */
export function sharedAddresses(store: Pick<Store, 'get' | 'range' | 'commit'>, address: string): ServerAddresses {
  const key = PREFIX + address
  const there = async () => (await store.range(PREFIX)).entries.map((entry) => entry.key.slice(PREFIX.length)).sort()
  return {
    alone: false,
    async renew() {
      const present = await store.get(key)
      const value = Buffer.from(JSON.stringify({ kind: 'Endpoints', apiVersion: 'v1', subsets: [{ addresses: [{ ip: address }] }] }))
      const expect = present === undefined ? { absent: true as const } : { revision: present.revision }
      // A conflict means another server with the same address: then the lease exists.
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
