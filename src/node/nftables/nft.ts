import { execFile } from 'node:child_process'
import { quietErrors } from '../../base/quiet.ts'
import type { Ruleset } from './ruleset.ts'
import { transactionOf } from './transaction.ts'

/** Changes the kernel's rules. Rejects with the message of `nft`. */
export interface Nft {
  /** Reads commands as one transaction. */
  run(commands: string): Promise<void>
  /** The tables that there are, as `family name`. */
  tables(): Promise<ReadonlySet<string>>
}

/** The program `nft` of this machine. */
export const machineNft: Nft = {
  async run(commands) {
    await nft(['-f', '-'], commands)
  },
  async tables() {
    const lines = (await nft(['list', 'tables'], '')).split('\n')
    return new Set(lines.map((line) => line.replace(/^table /, '')).filter((line) => line !== ''))
  },
}

function nft(args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('nft', [...args], { maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new NftError(stderr.trim() || error.message, { cause: error })),
    )
    if (child.stdin !== null)
      quietErrors(child.stdin, 'a program that ends before it has read everything reports why by its exit').end(input)
  })
}

/** Why rules could not be written. */
export class NftError extends Error {
  override readonly name = 'NftError'
  readonly code = 'nft-failed'
}

/** Keeps the kernel's rules as they are wanted. */
export class RuleWriter {
  readonly #nft: Nft
  #written: Ruleset | undefined

  constructor(nft: Nft) {
    this.#nft = nft
  }

  /** Writes what has changed. After a failure everything is written anew. */
  async write(next: Ruleset): Promise<void> {
    const commands = transactionOf(this.#written, next)
    this.#written = undefined
    if (commands !== '') await this.#nft.run(commands)
    this.#written = next
  }

  /** Finds out whether somebody has removed what was written: then the next `write` writes everything. */
  async check(): Promise<boolean> {
    const tables = await this.#nft.tables()
    const whole = [...(this.#written?.tables.keys() ?? [])].every((name) => tables.has(name))
    if (!whole) this.#written = undefined
    return whole
  }
}
