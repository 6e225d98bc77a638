import type { Json } from '../../machinery/object.ts'
import type { Exchange } from '../http/exchange.ts'
import type { AuditRecord } from './audit-log.ts'

/** Bodies that are longer are not written down. */
const MOST_BYTES = 1024 * 1024

/** The same exchange, which tells the record what is answered. */
export function auditedExchange(exchange: Exchange, record: AuditRecord): Exchange {
  let code = 0
  const complete = (answer?: Json) => record.complete(code, answer)
  exchange.onClose(() => complete())
  return {
    method: exchange.method,
    url: exchange.url,
    headers: exchange.headers,
    lists: () => exchange.lists(),
    socket: exchange.socket,
    input: exchange.input,
    get started() {
      return exchange.started
    },
    get status() {
      return exchange.status
    },
    get sent() {
      return exchange.sent
    },
    get gone() {
      return exchange.gone
    },
    get unread() {
      return exchange.unread
    },
    answer(status, headers, body) {
      code = status
      const wanted = record.keepsResponse || status >= 400
      complete(wanted ? jsonOf(body) : undefined)
      exchange.answer(status, { ...headers, 'audit-id': record.id }, body)
    },
    start(status, headers) {
      code = status
      record.started(status)
      exchange.start(status, { ...headers, 'audit-id': record.id })
    },
    switched() {
      code = 101
      record.started(101)
      exchange.switched()
    },
    write: (chunk) => exchange.write(chunk),
    end() {
      complete()
      exchange.end()
    },
    finish: () => exchange.finish(),
    abort: () => exchange.abort(),
    onDrain: (fn) => exchange.onDrain(fn),
    onClose: (fn) => exchange.onClose(fn),
  }
}

/** What the text says, where it is JSON of a moderate length. */
export function jsonOf(body: string | Uint8Array): Json | undefined {
  if (body.length > MOST_BYTES) return undefined
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString())
  } catch {
    return undefined
  }
}
