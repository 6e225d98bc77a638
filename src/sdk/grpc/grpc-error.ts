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

export type GrpcCode = (typeof NAMES)[number]

/** A call that failed; `message` reads as Kubernetes' own components would tell it. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError'
  readonly code: GrpcCode
  /** What the other side said. */
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
