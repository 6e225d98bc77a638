import { existsSync } from 'node:fs'
import path from 'node:path'

/** How a suite of somebody else's went. */
export type Outcome =
  | { readonly kind: 'ran'; readonly passed: number; readonly total: number; readonly failed: readonly string[] }
  /** It cannot run here. */
  | { readonly kind: 'missing'; readonly why: string }

/** What a suite is run with. */
export interface PeerDeps {
  /** The folder of `etcd` and `kube-apiserver`. */
  readonly assets: string
  /** A folder that stays: sources and programs that were built are not had twice. */
  readonly work: string
  /** Checkouts of repositories whose tests are in no registry, each in a folder of the repository's name. */
  readonly sources: string | undefined
  readonly say: (line: string) => void
}

/** What is said of a suite, whatever it is run by. */
export interface Suite {
  readonly name: string
  readonly version: string
  /** What of it runs, in a few words. */
  readonly what: string
  /** Failures that are no fault of the server's, by a piece of their name, and why. */
  readonly known?: Readonly<Record<string, string>>
}

/** Somebody else's test suite, unmodified. */
export interface Peer extends Required<Suite> {
  run(deps: PeerDeps): Promise<Outcome>
}

/** A suite as something that can be run. */
export function peerOf<S extends Suite>(suite: S, run: (suite: S, deps: PeerDeps) => Promise<Outcome>): Peer {
  const { name, version, what, known = {} } = suite
  return { name, version, what, known, run: (deps) => run(suite, deps) }
}

/** A folder of a checkout, for what is in no registry. @throws {Missing} */
export function checkoutOf({ sources }: PeerDeps, repository: string, folder = ''): string {
  const found = sources === undefined ? undefined : path.join(sources, repository, folder)
  if (found === undefined || !existsSync(found))
    throw new Missing(`it is in no registry: \`--sources DIR\`, with a checkout in DIR/${repository}`)
  return found
}

/** A step towards running failed: the suite cannot run here. */
export class Missing extends Error {
  override readonly name = 'Missing'
}
