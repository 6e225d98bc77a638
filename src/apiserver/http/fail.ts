import { isStatus } from '../../machinery/status-error.ts'
import { noteDeprecation } from '../pipeline/note-deprecation.ts'
import { attemptedCredentials } from './attempted-credentials.ts'
import type { HttpRequest } from './http-request.ts'
import type { HttpServer } from './http-server.ts'
import { errorFormat, PRETTY, wantsPretty } from './response/negotiate.ts'
import { writeError } from './response/write-error.ts'

/** Sends an error as the response. */
export function fail(server: HttpServer, request: HttpRequest, error: unknown): Promise<void> {
  const { deps } = server
  // If the sender is unknown, only the response is recorded.
  if (request.sender === undefined && request.audit === undefined)
    request.recordedBy(deps.audit?.refused(request, whyRefused(server, request, error)))
  request.trail?.failed(error)
  noteDeprecation(request)
  const format = errorFormat(request.headers.accept, wantsPretty(request.query, request.headers))
  return writeError(request.exchange, error, {
    log: deps.log,
    warnings: request.warnings,
    kinds: deps.kinds,
    format: format ?? PRETTY,
    // A Status of a type that the client does not accept bypasses the audit log, which has its code only.
    ...(format && { note: (status) => request.audit?.response(status) }),
  })
}

/** Why a request was refused before its sender was known, in the words of the audit log. */
function whyRefused({ deps, peers }: HttpServer, request: HttpRequest, error: unknown): string {
  if (isStatus(error) && error.code !== 401) return error.message
  return attemptedCredentials(request, peers.of(request.exchange.socket, deps.clock.now()).kind !== 'none')
}
