import { type Cidr, ipNumber, ipOfNumber, ipText } from '../../machinery/ip-address.ts'
import type { NodeRange } from './ranges.ts'

/** Adjacent blocks, by their indices; `end` is the last. */
export interface Blocks {
  readonly begin: number
  readonly end: number
}

/** The blocks of one range, and how many nodes hold each: several nodes may have the same addresses. */
export class BlockSet {
  readonly #range: NodeRange
  readonly #width: number
  readonly #base: bigint
  readonly #holders: Uint32Array
  #next = 0
  #free: number

  constructor(range: NodeRange) {
    this.#range = range
    this.#width = range.range.address.bytes.length * 8
    this.#base = ipNumber(range.range.address)
    this.#free = 2 ** (range.maskSize - range.range.prefixLength)
    this.#holders = new Uint32Array(this.#free)
  }

  /** Takes the next free block in turn; undefined when there is none. */
  take(): Blocks | undefined {
    if (this.#free === 0) return undefined
    let at = this.#next
    while (this.#holders[at] !== 0) at = (at + 1) % this.#holders.length
    this.#next = (at + 1) % this.#holders.length
    const block = { begin: at, end: at }
    this.hold(block)
    return block
  }

  hold({ begin, end }: Blocks): void {
    for (let i = begin; i <= end; i++) {
      const before = this.#holders[i] ?? 0
      if (before === 0) this.#free--
      this.#holders[i] = before + 1
    }
  }

  release({ begin, end }: Blocks): void {
    for (let i = begin; i <= end; i++) {
      const before = this.#holders[i] ?? 0
      if (before === 1) this.#free++
      if (before > 0) this.#holders[i] = before - 1
    }
  }

  /** The blocks that a network touches; undefined when it has nothing to do with the range. */
  touchedBy(cidr: Cidr): Blocks | undefined {
    if (cidr.address.bytes.length * 8 !== this.#width) return undefined
    const first = (ipNumber(cidr.address) >> this.#hostBits(cidr.prefixLength)) << this.#hostBits(cidr.prefixLength)
    const last = first + (1n << this.#hostBits(cidr.prefixLength)) - 1n
    const end = this.#base + (1n << this.#hostBits(this.#range.range.prefixLength)) - 1n
    if (last < this.#base || first > end) return undefined
    return { begin: first > this.#base ? this.#indexOf(first) : 0, end: last < end ? this.#indexOf(last) : this.#holders.length - 1 }
  }

  /** `10.244.3.0/24`. */
  text({ begin }: Blocks): string {
    const { maskSize } = this.#range
    return `${ipText(ipOfNumber(this.#base + (BigInt(begin) << this.#hostBits(maskSize)), this.#width / 8))}/${maskSize}`
  }

  #hostBits(prefixLength: number): bigint {
    return BigInt(this.#width - prefixLength)
  }

  #indexOf(ip: bigint): number {
    return Number((ip - this.#base) >> this.#hostBits(this.#range.maskSize))
  }
}
