/** The names of gRPC's status codes, as Go prints them. */
const NAMES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const

/** The name of a status of gRPC. */
export type GrpcCode = (typeof NAMES)[number]

/** A call that failed; `message` has the format of Kubernetes' own components. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError'
  readonly code: GrpcCode
  /** The message of the peer. */
  readonly details: string
  constructor(code: GrpcCode, details: string, options?: { cause?: unknown }) {
    super(`rpc error: code = ${code} desc = ${details}`, options)
    this.code = code
    this.details = details
  }

  get number(): number {
    return NAMES.indexOf(this.code)
  }
}

export const grpcCode = (number: number): GrpcCode => NAMES[number] ?? 'Unknown'
