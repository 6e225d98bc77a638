import { goQuote } from '../../machinery/field-error.ts'
import { FlagValueError } from '../../machinery/flags/flag.ts'
import { parseBool } from '../../machinery/flags/kinds.ts'
import { FlagError, type ParsedFlags, parseFlags } from '../../machinery/flags/parse-flags.ts'
import { SERVER_FLAGS } from '../../server/options/server-options.ts'

/** A running API server. */
export interface RunningServer extends AsyncDisposable {
  readonly address: string
  /** Resolves when it cannot continue. */
  readonly failed: Promise<Error>
  drain(): Promise<void>
}

/**
 * Parses the command line of kube-apiserver, which has no positional arguments.
 * @throws {FlagError}
 */
export function parseServerFlags(words: readonly string[]): ParsedFlags<typeof SERVER_FLAGS> {
  const flags = parseFlags(SERVER_FLAGS, words)
  if (flags.words.length === 0) return flags
  throw new FlagError('bad-syntax', `"kube-apiserver" does not take any arguments, got ["${flags.words.join('" "')}"]`)
}

/**
 * Whether `--version` is set, which is not one of the server's flags, and the other arguments.
 * @throws {FlagError}
 */
export function takeVersion(words: readonly string[]): { readonly wanted: boolean; readonly rest: readonly string[] } {
  const isVersion = (word: string) => word === '--version' || word.startsWith('--version=')
  const given = words.filter(isVersion).map((word) => asksForVersion(word.split('=')[1] ?? 'true'))
  return { wanted: given.at(-1) === true, rest: words.filter((word) => !isVersion(word)) }
}

function asksForVersion(given: string): boolean {
  if (given === 'raw' || /^v\d/.test(given)) return true
  try {
    return parseBool(given)
  } catch (error) {
    if (!(error instanceof FlagValueError)) throw error
    throw new FlagError('bad-value', `invalid argument ${goQuote(given)} for "--version" flag: ${error.message}`)
  }
}

/** Waits until it is stopped, then lets pending requests finish. @throws its failure */
export async function serveUntil(stop: Promise<string>, server: RunningServer): Promise<void> {
  const reason = await Promise.race([stop, server.failed])
  if (reason instanceof Error) throw reason
  await server.drain()
  await server[Symbol.asyncDispose]()
}
