import type { PreparedDevice } from '../../../sdk/node-api/dra-plugin.ts'

/** A claim that drivers have prepared on this node, or were asked to prepare. */
export interface PreparedClaim {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  /** The UIDs of the pods that use it. */
  readonly pods: ReadonlySet<string>
  /** The prepared devices by driver. It has all drivers of the allocation as soon as one of them is called. */
  readonly drivers: ReadonlyMap<string, readonly PreparedDevice[]>
  /** All drivers have succeeded since this agent started. A claim that was only restored is prepared again before another pod uses it. */
  readonly prepared: boolean
}

const keyOf = (namespace: string, name: string) => `${namespace}/${name}`

/** The prepared claims of a node, and their users. */
export class PreparedClaims {
  readonly #claims = new Map<string, PreparedClaim>()

  constructor(claims: Iterable<PreparedClaim> = []) {
    for (const claim of claims) this.put(claim)
  }

  all(): readonly PreparedClaim[] {
    return [...this.#claims.values()]
  }

  get(namespace: string, name: string): PreparedClaim | undefined {
    return this.#claims.get(keyOf(namespace, name))
  }

  put(claim: PreparedClaim): void {
    this.#claims.set(keyOf(claim.namespace, claim.name), claim)
  }

  remove({ namespace, name }: PreparedClaim): void {
    this.#claims.delete(keyOf(namespace, name))
  }

  ofPod(uid: string): readonly PreparedClaim[] {
    return this.all().filter((c) => c.pods.has(uid))
  }

  pods(): ReadonlySet<string> {
    return new Set(this.all().flatMap((c) => [...c.pods]))
  }

  /** The pods that use one of these devices of a driver. */
  podsWith(driver: string, has: (pool: string, device: string) => boolean): ReadonlySet<string> {
    const using = this.all().filter((c) => c.drivers.get(driver)?.some((d) => has(d.poolName, d.deviceName)))
    return new Set(using.flatMap((c) => [...c.pods]))
  }
}
