/** Load balancers of a cluster at most. */
const MAX_BALANCERS = 254

/**
 * The addresses of load balancers: 127.A.B.1 to 127.A.B.254, where A and B are the bytes of a number, which two clusters of one machine
 * do not share: the port of their API server. Only programs of this machine reach them.
 */
export class BalancerAddresses {
  readonly #network: string
  /** By the key of the service. */
  readonly #taken = new Map<string, string>()

  constructor(number: number) {
    this.#network = `127.${number >> 8}.${number & 255}`
  }

  /**
   * The address of a service: the one it has, the one it had before the cluster was restarted (`before`) if that is free, or the next.
   * Undefined: none is left.
   */
  of(service: string, before: string | undefined): string | undefined {
    const address = this.#taken.get(service) ?? this.#free(before)
    if (address !== undefined) this.#taken.set(service, address)
    return address
  }

  /** Whether it is one of these addresses. */
  has(address: string | undefined): boolean {
    return address?.startsWith(`${this.#network}.`) ?? false
  }

  release(service: string): void {
    this.#taken.delete(service)
  }

  #free(before: string | undefined): string | undefined {
    const taken = new Set(this.#taken.values())
    if (before !== undefined && this.has(before) && !taken.has(before)) return before
    for (let last = 1; last <= MAX_BALANCERS; last++) {
      const address = `${this.#network}.${last}`
      if (!taken.has(address)) return address
    }
    return undefined
  }
}
