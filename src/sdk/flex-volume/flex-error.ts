/** Why a FlexVolume driver did not do what it was called for; the message is the kubelet's where it has one. */
export class FlexError extends Error {
  override readonly name = 'FlexError'
  readonly code = 'flex-volume'
  /** The driver does not have this command; the caller has a default of its own. */
  readonly notSupported: boolean

  constructor(message: string, options: { readonly notSupported?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.notSupported = options.notSupported === true
  }
}
