/** The status of a plugin. */
export interface KmsStatus {
  readonly version: string
  readonly healthz: string
  readonly keyId: string
}

/** An encrypted data key or seed, and what the plugin needs to decrypt it. */
export interface EncryptedKey {
  readonly ciphertext: Uint8Array
  readonly keyId: string
  readonly annotations: ReadonlyMap<string, Uint8Array>
}

/** The calls of a KMS v2 plugin. `uid` identifies a call in logs. Failures are `KmsCallError`s. */
export interface KmsService extends Disposable {
  status(): Promise<KmsStatus>
  encrypt(uid: string, plaintext: Uint8Array): Promise<EncryptedKey>
  decrypt(uid: string, key: EncryptedKey): Promise<Uint8Array>
}

/** Connects to the plugin of a provider. */
export type ConnectKms = (provider: { readonly name: string; readonly socket: string; readonly timeoutMs: number }) => Promise<KmsService>

/** A call of a plugin that failed; the message is that of Go's gRPC. */
export class KmsCallError extends Error {
  override readonly name = 'KmsCallError'
  /** The gRPC status: `Unavailable`. */
  readonly code: string
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
