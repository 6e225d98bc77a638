export type CniErrorCode =
  /** A folder has no valid list. */
  | 'no-network'
  | 'bad-network'
  /** A plugin failed, or did not answer. */
  | 'plugin'
  | 'unsupported'

/** What went wrong with a network of plugins, in the words of the reference library. */
export class CniError extends Error {
  override readonly name = 'CniError'
  readonly code: CniErrorCode

  constructor(code: CniErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
