import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import type { InUse } from './in-use.ts'
import type { Pool, PoolDevice } from './pools.ts'

/** What is left of the counters that partitions of one device share. Taking and giving back come in pairs. */
export class Counters {
  readonly #left = new Map<string, Quantity>()
  readonly #amounts = new Map<PoolDevice, readonly CounterAmount[]>()

  constructor(pools: readonly Pool[], used: InUse) {
    for (const pool of pools) {
      for (const [set, counters] of pool.counters)
        for (const [name, { value }] of Object.entries(counters)) this.#left.set(keyOf(pool, set, name), parseQuantity(value))
      for (const device of pool.consumers) if (used.devices.has(device.id) || used.shared.has(device.id)) this.#add(device, -1)
    }
  }

  /** Consumes the counters of the device, if all of them suffice. */
  take(device: PoolDevice): boolean {
    this.#add(device, -1)
    const enough = this.#amountsOf(device).every(({ key }) => (this.#left.get(key) ?? Quantity.zero).compare(Quantity.zero) >= 0)
    if (!enough) this.#add(device, 1)
    return enough
  }

  giveBack(device: PoolDevice): void {
    this.#add(device, 1)
  }

  #add(device: PoolDevice, sign: 1 | -1): void {
    for (const { key, amount } of this.#amountsOf(device)) {
      const left = this.#left.get(key) ?? Quantity.zero
      this.#left.set(key, sign === 1 ? left.add(amount) : left.sub(amount))
    }
  }

  #amountsOf(device: PoolDevice): readonly CounterAmount[] {
    const known = this.#amounts.get(device) ?? amountsOf(device)
    this.#amounts.set(device, known)
    return known
  }
}

interface CounterAmount {
  readonly key: string
  readonly amount: Quantity
}

const keyOf = ({ driver, name }: { driver: string; name: string }, set: string, counter: string) => `${driver}/${name}/${set}/${counter}`

const amountsOf = ({ driver, pool, device }: PoolDevice): readonly CounterAmount[] =>
  (device.consumesCounters ?? []).flatMap(({ counterSet, counters }) =>
    Object.entries(counters).map(([name, { value }]) => ({
      key: keyOf({ driver, name: pool }, counterSet, name),
      amount: parseQuantity(value),
    })),
  )
