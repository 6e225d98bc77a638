import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { RuntimeError, type RuntimeErrorCode } from '../runtime-error.ts'

/** What a failed call becomes; `whole`: its message begins with gRPC's code, as the kubelet shows it for most calls. */
export function criError(error: unknown, shown: 'whole' | 'details'): unknown {
  if (!(error instanceof GrpcError)) return error
  return new RuntimeError(codeOf(error), shown === 'whole' ? error.message : error.details, { cause: error })
}

function codeOf({ code, details }: GrpcError): RuntimeErrorCode {
  // The runtime names these two by the beginning of its message.
  if (details.startsWith('RegistryUnavailable')) return 'registry-unavailable'
  if (details.startsWith('SignatureValidationFailed')) return 'signature-invalid'
  // containerd before 2.0, while it starts: a code of its own came later.
  if (code === 'Unknown' && details.startsWith('server is not initialized')) return 'unavailable'
  switch (code) {
    case 'NotFound':
      return 'not-found'
    case 'AlreadyExists':
      return 'already-exists'
    case 'DeadlineExceeded':
      return 'deadline'
    case 'Unavailable':
      return 'unavailable'
    case 'Unimplemented':
      return 'unsupported'
    default:
      return 'runtime'
  }
}

/** A connection that cannot be made, as Go's gRPC words it. */
export function dialError(error: unknown, socketPath: string): unknown {
  if (!(error instanceof GrpcError) || error.code !== 'Unavailable') return error
  const errno = /\b(ECONNREFUSED|ENOENT|EACCES)\b/.exec(error.details)?.[1]
  const why = errno === undefined ? undefined : DIAL_FAULTS[errno]
  if (why === undefined) return error
  const details = `connection error: desc = "transport: Error while dialing: dial unix ${socketPath}: connect: ${why}"`
  return new GrpcError('Unavailable', details, { cause: error })
}

const DIAL_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
}
