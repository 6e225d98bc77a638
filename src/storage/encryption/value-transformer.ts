/** A value that was read from what is stored. */
export interface ReadValue {
  readonly value: Uint8Array
  /** True if it would be stored differently now: the next update writes it, even one without a change. */
  readonly stale: boolean
}

/**
 * Turns values into what is stored, and back: the seam between stores and encryption at rest. `key` is the key under which the value is
 * stored; some providers authenticate it, so that a value that was moved to another key is refused. Failures are `TransformError`s.
 */
export interface ValueTransformer {
  /** May return the value itself. */
  toStorage(value: Uint8Array, key: string): Uint8Array
  /** Asynchronous, because another process may have to decrypt a data key first. May return what is stored itself. */
  fromStorage(stored: Uint8Array, key: string): Promise<ReadValue>
}

/** A value that cannot be encrypted or decrypted; the message is kube-apiserver's. */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  readonly code = 'untransformable'
  /** The gRPC status of a call that failed, for metrics. */
  readonly status: string
  constructor(message: string, options: { readonly cause?: unknown; readonly status?: string } = {}) {
    super(message, { cause: options.cause })
    this.status = options.status ?? 'unknown-non-grpc'
  }
}

/** All encrypted values begin with these bytes; no other value does: JSON begins with `{`, protobuf with `k8s\0`. */
export const ENCRYPTED_PREFIX = Buffer.from('k8s:enc:')

/** True if a value begins with these bytes. */
export const startsWith = (value: Uint8Array, prefix: Uint8Array): boolean =>
  value.length >= prefix.length && Buffer.compare(value.subarray(0, prefix.length), prefix) === 0
