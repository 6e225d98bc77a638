import type { Random } from '../../src/base/random.ts'
import type { Json, JsonObject } from '../../src/machinery/object.ts'

/** Choices of a generator: the same random numbers give the same choices. */
export class Draw {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability
  }

  int(below: number): number {
    return this.#random.int(below)
  }

  pick<T>(list: readonly [T, ...T[]]): T
  pick<T>(list: readonly T[]): T | undefined
  pick<T>(list: readonly T[]): T | undefined {
    return list[this.int(list.length)]
  }

  /** Each member with this probability, in the order of the list. */
  some<T>(list: readonly T[], probability: number): T[] {
    return list.filter(() => this.chance(probability))
  }

  /** An object that has each member with this probability, with one of its values. */
  members(values: Readonly<Record<string, readonly Json[]>>, probability: number): JsonObject {
    return Object.fromEntries(this.some(Object.entries(values), probability).map(([name, of]) => [name, this.pick(of) ?? null]))
  }

  /** `least` to `most` results of a function. */
  several<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.int(most - least + 1) }, make)
  }
}
