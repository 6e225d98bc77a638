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

/** Somebody else's test suite, unmodified. */
export interface Peer {
  readonly name: string
  readonly version: string
  /** What of it runs, in a few words. */
  readonly what: string
  /** Failures that are no fault of the server's, by a piece of their name, and why. */
  readonly known: Readonly<Record<string, string>>
  run(deps: PeerDeps): Promise<Outcome>
}

/** A step towards running failed: the suite cannot run here. */
export class Missing extends Error {
  override readonly name = 'Missing'
}
