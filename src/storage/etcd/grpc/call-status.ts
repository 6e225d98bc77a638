import type { HeaderField } from '../../../base/http2/hpack-decoder.ts'
import type { StreamFailure } from '../../../base/http2/http2-stream.ts'
import { type GrpcCode, GrpcError, grpcCode } from '../../../sdk/grpc/grpc-error.ts'
import { decodeGrpcMessage } from '../../../sdk/grpc/grpc-message.ts'

/** A call that no server has begun to process: it may be made again, whatever it changes. */
export class UnsentError extends GrpcError {}

/** What the headers and trailers of a response say. */
export class CallStatus {
  #http = ''
  #grpc: string | undefined
  #message = ''

  add(fields: readonly HeaderField[]): void {
    for (const [name, value] of fields)
      if (name === ':status') this.#http = value
      else if (name === 'grpc-status') this.#grpc = value
      else if (name === 'grpc-message') this.#message = decodeGrpcMessage(value)
  }

  /** Undefined: OK. */
  get error(): GrpcError | undefined {
    if (this.#grpc === '0') return undefined
    if (this.#grpc !== undefined) return new GrpcError(grpcCode(Number(this.#grpc)), this.#message)
    if (this.#http === '200') return new GrpcError('Internal', 'the response ended without a status')
    return new GrpcError(BY_HTTP_STATUS[this.#http] ?? 'Unknown', `the server answered with the HTTP status ${this.#http}, not with gRPC`)
  }
}

/** As gRPC's HTTP mapping has it, for what is no gRPC server: a proxy, or another program. */
const BY_HTTP_STATUS: Readonly<Record<string, GrpcCode>> = {
  400: 'Internal',
  401: 'Unauthenticated',
  403: 'PermissionDenied',
  404: 'Unimplemented',
  429: 'Unavailable',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'Unavailable',
}

/** By HTTP/2's error codes. */
const BY_RESET: Readonly<Record<number, GrpcCode>> = { 7: 'Unavailable', 8: 'Canceled', 11: 'ResourceExhausted', 12: 'PermissionDenied' }

export function failureOf({ reason, code, unprocessed }: StreamFailure): GrpcError {
  if (unprocessed) return new UnsentError('Unavailable', reason)
  return new GrpcError(code === undefined ? 'Unavailable' : (BY_RESET[code] ?? 'Internal'), reason)
}
