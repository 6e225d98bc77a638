/** Rows whose best is looked up together. */
const BLOCK_BITS = 6

export interface Best {
  readonly total: number
  readonly ties: number
  readonly candidates: number
}

/** A column of totals (−1: no candidate) of which the best is known block by block: a lookup costs the blocks that changed. */
export class Ranking {
  readonly totals: Int32Array
  readonly #best: Int32Array
  readonly #ties: Int32Array
  readonly #candidates: Int32Array
  readonly #dirty: Uint8Array

  constructor(size: number) {
    this.totals = new Int32Array(size).fill(-1)
    const blocks = (size >> BLOCK_BITS) + 1
    this.#best = new Int32Array(blocks).fill(-1)
    this.#ties = new Int32Array(blocks)
    this.#candidates = new Int32Array(blocks)
    this.#dirty = new Uint8Array(blocks)
  }

  set(row: number, total: number): void {
    if (this.totals[row] === total) return
    this.totals[row] = total
    this.#dirty[row >> BLOCK_BITS] = 1
  }

  best(): Best {
    let total = -1
    let ties = 0
    let candidates = 0
    for (let block = 0; block < this.#dirty.length; block++) {
      if (this.#dirty[block] === 1) this.#scan(block)
      const best = this.#best[block] ?? -1
      candidates += this.#candidates[block] ?? 0
      if (best < total || best < 0) continue
      if (best > total) {
        total = best
        ties = 0
      }
      ties += this.#ties[block] ?? 0
    }
    return { total, ties, candidates }
  }

  /** The row of the n-th candidate that has the best total. */
  nth(n: number, total: number): number {
    let left = n
    for (let block = 0; block < this.#best.length; block++) {
      if (this.#best[block] !== total) continue
      const ties = this.#ties[block] ?? 0
      if (left >= ties) {
        left -= ties
        continue
      }
      let at = this.totals.indexOf(total, block << BLOCK_BITS)
      while (left-- > 0) at = this.totals.indexOf(total, at + 1)
      return at
    }
    return -1
  }

  #scan(block: number): void {
    const start = block << BLOCK_BITS
    const end = Math.min(this.totals.length, start + (1 << BLOCK_BITS))
    let best = -1
    let ties = 0
    let candidates = 0
    for (let row = start; row < end; row++) {
      const total = this.totals[row] ?? -1
      if (total < 0) continue
      candidates++
      if (total > best) {
        best = total
        ties = 1
      } else if (total === best) ties++
    }
    this.#best[block] = best
    this.#ties[block] = ties
    this.#candidates[block] = candidates
    this.#dirty[block] = 0
  }
}
