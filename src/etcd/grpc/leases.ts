import type { Cancel, Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'

interface Lease {
  readonly id: number
  readonly ttlS: number
  endsAt: number
  readonly keys: Set<string>
  stop: Cancel
}

/** The leases that clients of the v3 API have taken. They end with the process. */
export class Leases {
  readonly #clock: Clock
  readonly #random: Random
  readonly #expired: (keys: readonly string[]) => void
  readonly #leases = new Map<number, Lease>()
  readonly #byKey = new Map<string, Lease>()

  constructor(deps: { readonly clock: Clock; readonly random: Random; readonly expired: (keys: readonly string[]) => void }) {
    this.#clock = deps.clock
    this.#random = deps.random
    this.#expired = deps.expired
  }

  get ids(): readonly number[] {
    return [...this.#leases.keys()]
  }

  grant(ttlS: number, wanted: number): { readonly id: number; readonly ttlS: number } {
    if (this.#leases.has(wanted)) throw new GrpcError('FailedPrecondition', 'etcdserver: lease already exists')
    if (ttlS > 9_000_000_000) throw new GrpcError('OutOfRange', 'etcdserver: too large lease TTL')
    const id = wanted === 0 ? this.#random.int(2 ** 47) + 1 : wanted
    const lease: Lease = { id, ttlS: Math.max(1, ttlS), endsAt: 0, keys: new Set(), stop: () => {} }
    this.#leases.set(id, lease)
    this.#arm(lease)
    return lease
  }

  keepAlive(id: number): number {
    const lease = this.#leases.get(id)
    if (lease !== undefined) this.#arm(lease)
    return lease?.ttlS ?? 0
  }

  /** Ends a lease now, and deletes its keys. */
  revoke(id: number): void {
    const lease = this.#need(id)
    lease.stop()
    this.#leases.delete(id)
    for (const key of lease.keys) this.#byKey.delete(key)
    this.#expired([...lease.keys])
  }

  timeToLive(id: number): { readonly ttlS: number; readonly grantedS: number; readonly keys: readonly string[] } {
    const lease = this.#leases.get(id)
    if (lease === undefined) return { ttlS: -1, grantedS: 0, keys: [] }
    return { ttlS: Math.ceil((lease.endsAt - this.#clock.now()) / 1000), grantedS: lease.ttlS, keys: [...lease.keys] }
  }

  /** Attaches the key to this lease and to no other; 0: to none. */
  attach(key: string, id: number): void {
    this.#byKey.get(key)?.keys.delete(key)
    this.#byKey.delete(key)
    if (id === 0) return
    const lease = this.#need(id)
    lease.keys.add(key)
    this.#byKey.set(key, lease)
  }

  of(key: string): number {
    return this.#byKey.get(key)?.id ?? 0
  }

  assertKnown(id: number): void {
    if (id !== 0) this.#need(id)
  }

  stop(): void {
    for (const lease of this.#leases.values()) lease.stop()
  }

  #need(id: number): Lease {
    const lease = this.#leases.get(id)
    if (lease === undefined) throw new GrpcError('NotFound', 'etcdserver: requested lease not found')
    return lease
  }

  #arm(lease: Lease): void {
    lease.stop()
    lease.endsAt = this.#clock.now() + lease.ttlS * 1000
    lease.stop = this.#clock.after(lease.ttlS * 1000, () => this.revoke(lease.id))
  }
}
