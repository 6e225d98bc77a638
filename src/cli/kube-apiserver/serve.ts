import { FlagError, type ParsedFlags, parseFlags } from '../../machinery/flags/parse-flags.ts'
import { SERVER_FLAGS } from '../../server/options/server-options.ts'

/** An API server that runs, and ends. */
export interface RunningServer extends AsyncDisposable {
  readonly address: string
  /** Resolves when it cannot go on. */
  readonly failed: Promise<Error>
  drain(): Promise<void>
}

/**
 * The command line of kube-apiserver: flags, and no words beside them.
 * @throws {FlagError}
 */
export function parseServerFlags(words: readonly string[]): ParsedFlags<typeof SERVER_FLAGS> {
  const flags = parseFlags(SERVER_FLAGS, words)
  if (flags.words.length === 0) return flags
  throw new FlagError('bad-syntax', `"kube-apiserver" does not take any arguments, got ["${flags.words.join('" "')}"]`)
}

/** Waits until it is stopped, then lets it finish what it has begun. @throws what it failed with */
export async function serveUntil(stop: Promise<string>, server: RunningServer): Promise<void> {
  const reason = await Promise.race([stop, server.failed])
  if (reason instanceof Error) throw reason
  await server.drain()
  await server[Symbol.asyncDispose]()
}
