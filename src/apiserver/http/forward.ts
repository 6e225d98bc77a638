import type { UserInfo } from '../../machinery/resource/user.ts'
import type { StatusError } from '../../machinery/status-error.ts'
import type { DelegatedAnswer, DelegateServer } from '../delegate-server.ts'
import { drained } from './answer/drained.ts'
import type { Upgrade } from './connection/connect.ts'
import type { Exchange } from './exchange.ts'

interface Forwarding {
  readonly path: string
  readonly user: UserInfo
  readonly auditId: string
  readonly signal: AbortSignal
  readonly upgrade: Upgrade | undefined
}

/** Hands a request over to the server that answers for its path. */
export function forwardedTo(
  guest: DelegateServer,
  exchange: Exchange,
  { path, user, auditId, signal, upgrade }: Forwarding,
): Promise<void> {
  const at = exchange.url.indexOf('?')
  const request = {
    method: exchange.method,
    path,
    search: at < 0 ? '' : exchange.url.slice(at + 1),
    headers: exchange.lists(),
    user,
    remoteAddress: exchange.socket.remoteAddress ?? '',
    auditId,
    body: hasBody(exchange) ? exchange.input : undefined,
    signal,
    ...(upgrade && { upgrade }),
  }
  return guest.forward(request, answerTo(exchange))
}

/** Over HTTP/2 a body need not be announced. */
function hasBody({ input, headers }: Exchange): boolean {
  if ('endAfterHeaders' in input) return !(input as { readonly endAfterHeaders: boolean }).endAfterHeaders
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const answerTo = (exchange: Exchange): DelegatedAnswer => ({
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

/** The time of a request that waits for another server is up. Kubernetes writes this below its handlers, as bare text. */
export function delegateTimeout(exchange: Exchange, { status: { message, reason, details, code } }: StatusError): void {
  const body = { metadata: {}, status: 'Failure', message, reason, details, code }
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private' }
  exchange.answer(504, headers, `${JSON.stringify(body)}\n`)
  exchange.finish()
}
