import type { Random } from '../../src/base/random.ts'

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

  /** `least` to `most` results of a function. */
  several<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.int(most - least + 1) }, make)
  }
}
