/** Why an operation of the runtime failed; `message` is what Kubernetes shows in statuses and events. */
export type RuntimeErrorCode =
  | 'image-not-found'
  | 'registry-unavailable'
  | 'signature-invalid'
  | 'invalid-image-name'
  | 'not-found'
  | 'already-exists'
  /** The runtime does not implement this. */
  | 'unsupported'
  | 'deadline'
  /** The runtime does not answer. */
  | 'unavailable'
  | 'runtime'

export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
  readonly code: RuntimeErrorCode
  constructor(code: RuntimeErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Whether an operation failed for this reason. */
export const isCode = (error: unknown, code: RuntimeErrorCode): boolean => error instanceof RuntimeError && error.code === code

/** For `.catch`: the operation resolves with undefined where it failed for this reason; any other failure is thrown on. */
export const ignoringCode =
  (code: RuntimeErrorCode) =>
  (error: unknown): undefined => {
    if (!isCode(error, code)) throw error
  }
