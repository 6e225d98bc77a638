import { goQuote } from '../field-error.ts'
import { type AnyFlag, type FlagTable, FlagValueError, type FlagValues, initialValues } from './flag.ts'

/** An invalid command line; the message is pflag's. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
  readonly code: 'unknown-flag' | 'bad-value' | 'missing-value' | 'bad-syntax'
  constructor(code: FlagError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A parsed command line. */
export interface ParsedFlags<T extends FlagTable> {
  readonly values: FlagValues<T>
  /** The names of the given flags, whatever their values. */
  readonly given: ReadonlySet<string>
  /** The arguments that are not flags. */
  readonly words: readonly string[]
  /** Warnings for the user. */
  readonly notices: readonly string[]
}

/**
 * Parses a command line by the rules of Go's pflag: `--name=value`, `--name value`, `--name` if there is a bare value, `-x value`,
 * `-xvalue`, and `--` before arguments that look like flags.
 * @throws {FlagError} at the first invalid word
 */
export function parseFlags<T extends FlagTable>(table: T, line: readonly string[]): ParsedFlags<T> {
  const values: Record<string, unknown> = { ...initialValues(table) }
  const given = new Set<string>()
  const words: string[] = []
  const notices: string[] = []
  const shorts = new Map(Object.entries(table).flatMap(([name, flag]) => (flag.short === undefined ? [] : [[flag.short, name]])))
  const take = (name: string, flag: AnyFlag, value: string) => {
    try {
      values[name] = flag.take(value, given.has(name) ? values[name] : undefined)
    } catch (error) {
      if (!(error instanceof FlagValueError)) throw error
      const written = flag.short === undefined ? `--${name}` : `-${flag.short}, --${name}`
      throw new FlagError('bad-value', `invalid argument ${goQuote(value)} for ${goQuote(written)} flag: ${error.message}`)
    }
    given.add(name)
    if (flag.deprecated) notices.push(`Flag --${name} has been deprecated, ${flag.deprecated}`)
  }
  for (let i = 0; i < line.length; i++) {
    const word = line[i] ?? ''
    if (word === '--') {
      words.push(...line.slice(i + 1))
      break
    }
    if (word.startsWith('--')) {
      const at = word.indexOf('=')
      const name = normalName(word.slice(2, at < 0 ? undefined : at))
      if (name === '' || name.startsWith('-') || name.startsWith('=')) throw new FlagError('bad-syntax', `bad flag syntax: ${word}`)
      const flag = Object.hasOwn(table, name) ? table[name] : undefined
      if (flag === undefined) throw new FlagError('unknown-flag', `unknown flag: --${name}`)
      if (at >= 0) take(name, flag, word.slice(at + 1))
      else if (flag.bare !== undefined) take(name, flag, flag.bare)
      else if (i + 1 < line.length) take(name, flag, line[++i] ?? '')
      else throw new FlagError('missing-value', `flag needs an argument: --${name}`)
    } else if (word.startsWith('-') && word.length > 1) {
      const letter = word[1] ?? ''
      const name = shorts.get(letter)
      const flag = name === undefined ? undefined : table[name]
      if (name === undefined || flag === undefined) throw new FlagError('unknown-flag', `unknown shorthand flag: '${letter}' in ${word}`)
      if (word.length > 2) take(name, flag, word[2] === '=' ? word.slice(3) : word.slice(2))
      else if (flag.bare !== undefined) take(name, flag, flag.bare)
      else if (i + 1 < line.length) take(name, flag, line[++i] ?? '')
      else throw new FlagError('missing-value', `flag needs an argument: '${letter}' in ${word}`)
    } else words.push(word)
  }
  return { values: Object.freeze(values) as FlagValues<T>, given, words, notices }
}

/** Kubernetes' components treat an underscore as a dash. */
const normalName = (name: string) => name.replaceAll('_', '-')
