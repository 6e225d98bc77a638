import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { EtcdConnection } from './etcd-connection.ts'
import { leaseGrantRequest } from './messages.ts'
import { LEASE_GRANT } from './methods.ts'

export interface LeaseBounds {
  /** How long one lease is shared by keys that come later: `--lease-reuse-duration-seconds`. */
  readonly reuseS: number
  /** Most keys of one lease. */
  readonly maxKeys: number
}

/** As in kube-apiserver. */
export const DEFAULT_LEASES: LeaseBounds = { reuseS: 60, maxKeys: 1000 }

/** A lease is shared for at most this part of its time, so that keys with short leases do not live much longer than wanted. */
const SHARED_PART = 0.05
/** Identifiers are integers of 63 bits; ours are exact as numbers. */
const MAX_ID = Number.MAX_SAFE_INTEGER

interface Shared {
  readonly id: Promise<number>
  /** Whole seconds. */
  readonly expiresAtS: number
  keys: number
}

export interface LeaseDeps {
  readonly connection: EtcdConnection
  readonly clock: Clock
  readonly random: Random
  /** Of one grant. */
  readonly timeoutMs: number
}

/** Leases for keys: one for many keys that expire at about the same time, because each lease costs etcd a timer and a record. */
export class Leases {
  readonly #bounds: LeaseBounds
  readonly #deps: LeaseDeps
  /** The latest lease by its length in seconds. */
  readonly #latest = new Map<number, Shared>()

  constructor(bounds: LeaseBounds, deps: LeaseDeps) {
    this.#bounds = bounds
    this.#deps = deps
  }

  /** The lease for a key that is to live this long, or a little longer. */
  async take(ttlMs: number): Promise<number> {
    const ttlS = Math.max(1, Math.ceil(ttlMs / 1000))
    const nowS = Math.floor(this.#deps.clock.monotonic() / 1000)
    const shared = this.#latest.get(ttlS)
    const reuseS = Math.min(this.#bounds.reuseS, Math.floor(ttlS * SHARED_PART))
    if (shared !== undefined && shared.expiresAtS >= nowS + ttlS && shared.keys < this.#bounds.maxKeys) {
      shared.keys++
      return shared.id
    }
    const id = this.#grant(ttlS + reuseS)
    const lease: Shared = { id, expiresAtS: nowS + ttlS + reuseS, keys: 1 }
    if (reuseS > 0) this.#latest.set(ttlS, lease)
    // A lease that was not granted is not lent again.
    id.catch(() => {
      if (this.#latest.get(ttlS) === lease) this.#latest.delete(ttlS)
    })
    return id
  }

  async #grant(ttlS: number): Promise<number> {
    const { connection, random, timeoutMs } = this.#deps
    const id = 1 + Math.floor(random.next() * (MAX_ID - 1))
    await connection.call(LEASE_GRANT, leaseGrantRequest.of({ ttl: ttlS, id }), { timeoutMs, repeatable: false })
    return id
  }
}
