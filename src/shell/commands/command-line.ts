import { parseArgs } from 'node:util'

/** What a command was told: letters that were given, values of letters that take one, and the words. */
export interface CommandLine {
  has(letter: string): boolean
  value(letter: string): string | undefined
  readonly words: readonly string[]
}

/**
 * Reads options as POSIX utilities do. `flags`: letters without a value; `valued`: letters with one.
 * @throws {TypeError} naming an option that is not known
 */
export function readCommandLine(args: readonly string[], flags: string, valued = ''): CommandLine {
  const options = Object.fromEntries([
    ...[...flags].map((letter) => [letter, { type: 'boolean', short: letter }] as const),
    ...[...valued].map((letter) => [letter, { type: 'string', short: letter }] as const),
  ])
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  const given = new Map(Object.entries(values))
  return {
    has: (letter) => given.has(letter),
    value(letter) {
      const value = given.get(letter)
      return typeof value === 'string' ? value : undefined
    },
    words: positionals,
  }
}

/**
 * A count that somebody wrote.
 * @throws {Error} when it is none
 */
export function readCount(text: string): number {
  if (!/^[-+]?\d{1,15}$/.test(text)) throw new Error(`invalid number '${text}'`)
  return Number(text)
}
