import type { HandlerResult } from '../handlers/call.ts'
import type { RequestAudit } from '../request/request-audit.ts'
import type { Exchange } from './exchange.ts'
import { JSON_FORMAT } from './response/negotiate.ts'
import type { Rendering } from './response/rendering.ts'
import { writeResponse } from './response/write-response.ts'

/** An exchange that reports the start and end of the response to the audit record, and delays both until the record is delivered. */
export function auditedExchange(exchange: Exchange, record: RequestAudit): Exchange {
  let code = 0
  exchange.onClose(() => record.complete(code))
  const delivered = (then: () => void) => {
    const pending = record.delivered
    if (pending === undefined) then()
    else void pending.then(then, then)
  }
  return {
    method: exchange.method,
    url: exchange.url,
    headers: exchange.headers,
    lists: () => exchange.lists(),
    auditId: record.id,
    get fixed() {
      return exchange.fixed
    },
    set fixed(headers) {
      exchange.fixed = headers
    },
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
      record.complete(status)
      delivered(() => exchange.answer(status, { ...headers, 'audit-id': record.id }, body))
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
      record.complete(code)
      delivered(() => exchange.end())
    },
    finish: () => delivered(() => exchange.finish()),
    abort: () => exchange.abort(),
    onDrain: (fn) => exchange.onDrain(fn),
    onClose: (fn) => exchange.onClose(fn),
  }
}

/**
 * Gives the response to the audit record: a Status always, other objects as far as the policy keeps them, in JSON. The client's own
 * rendering may be in another encoding, compressed, or in pieces, so this is a second one.
 */
export async function noteResponse(record: RequestAudit, answer: HandlerResult, rendering: Rendering): Promise<void> {
  if (answer.kind === 'watch') {
    record.started(200)
    if (record.delivered !== undefined) await record.delivered
    return
  }
  if (answer.kind === 'object' && answer.object.kind === 'Status') return record.response(answer.object)
  if (!record.keepsResponse || answer.kind === 'raw') return
  const collected = new CollectedResponse()
  await writeResponse(collected, answer, {
    ...rendering,
    format: { ...JSON_FORMAT, ...(rendering.format.as && { as: rendering.format.as }) },
  })
  if (collected.text === undefined) record.annotate('audit.k8s.io/truncated', 'true')
  else record.responseText(collected.text)
}

/** Longer responses are not recorded; the annotation `audit.k8s.io/truncated` marks the event. */
const MOST_BYTES = 16 * 1024 * 1024

/** An exchange that collects its response. */
class CollectedResponse implements Exchange {
  readonly #parts: Buffer[] = []
  readonly method = 'GET'
  readonly url = ''
  readonly headers = {}
  readonly started = false
  readonly status = 200
  readonly unread = false
  sent = 0
  auditId = ''
  fixed: undefined

  /** Undefined if the response was too long. */
  get text(): string | undefined {
    return this.gone ? undefined : Buffer.concat(this.#parts).toString()
  }

  get gone(): boolean {
    return this.sent > MOST_BYTES
  }

  get socket(): never {
    throw new Error('invariant: this exchange has no client')
  }

  get input(): never {
    throw new Error('invariant: this exchange has no client')
  }

  lists() {
    return {}
  }

  answer(_status: number, _headers: unknown, body: string | Uint8Array): void {
    this.write(body)
  }

  write(chunk: string | Uint8Array): boolean {
    const bytes = Buffer.from(chunk)
    this.sent += bytes.length
    if (this.gone) this.#parts.length = 0
    else this.#parts.push(bytes)
    return true
  }

  start(): void {}
  switched(): void {}
  end(): void {}
  finish(): void {}
  abort(): void {}
  onDrain(): void {}
  onClose(): void {}
}
