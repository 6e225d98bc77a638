import type { StatusError } from '../../machinery/status-error.ts'
import type { DelegatedResponse, DelegateServer } from '../delegate-server.ts'
import type { Exchange } from './exchange.ts'
import type { HttpRequest } from './http-request.ts'
import { drained } from './response/drained.ts'

/** Forwards a request to the server of its path. */
export function forwardedTo(delegate: DelegateServer, request: HttpRequest): Promise<void> {
  const { exchange, audit, upgrade } = request
  const at = exchange.url.indexOf('?')
  const forwarded = {
    method: exchange.method,
    path: request.info.path,
    search: at < 0 ? '' : exchange.url.slice(at + 1),
    headers: exchange.lists(),
    user: request.user,
    remoteAddress: exchange.socket.remoteAddress ?? '',
    auditId: audit?.id ?? exchange.auditId,
    body: hasBody(exchange) ? exchange.input : undefined,
    signal: request.signal,
    ...(upgrade && { upgrade }),
  }
  return delegate.forward(forwarded, answerTo(exchange))
}

/** Over HTTP/2 a request may have a body without a length. */
function hasBody({ input, headers }: Exchange): boolean {
  if ('endAfterHeaders' in input) return !(input as { readonly endAfterHeaders: boolean }).endAfterHeaders
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const answerTo = (exchange: Exchange): DelegatedResponse => ({
  get started() {
    return exchange.started
  },
  get gone() {
    return exchange.gone
  },
  start: (status, headers) => exchange.start(status, headers),
  answer: (status, headers, body) => exchange.answer(status, headers, body),
  switched: () => exchange.switched(),
  write: (chunk) => exchange.write(chunk),
  drained: () => drained(exchange),
  end: () => exchange.end(),
  abort: () => exchange.abort(),
})

/** The timeout of a forwarded request. Kubernetes writes it below its handlers, as plain text. */
export function delegateTimeout(exchange: Exchange, { status: { message, reason, details, code } }: StatusError): void {
  const body = { metadata: {}, status: 'Failure', message, reason, details, code }
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private' }
  exchange.answer(504, headers, `${JSON.stringify(body)}\n`)
  exchange.finish()
}
