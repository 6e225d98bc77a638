import type { IncomingHttpHeaders } from 'node:http'
import { sourceIPs } from '../audit/source-ips.ts'
import { type Connection, PipelineRequest } from '../pipeline/pipeline-request.ts'
import { parseQuery, type Query } from '../request/query.ts'
import { readRequest } from '../request/read-request.ts'
import type { RequestAudit } from '../request/request-audit.ts'
import type { RequestBody } from '../request/request-body.ts'
import type { RequestInfo } from '../request/request-info.ts'
import { auditedExchange } from './audited-exchange.ts'
import { answerOf, sourceOf, type Upgrade } from './connection/connect.ts'
import type { Exchange } from './exchange.ts'
import { headerText } from './header-value.ts'
import { readBody } from './read-body.ts'
import { RequestLife } from './request-life.ts'
import type { Format } from './response/negotiate.ts'
import { Warnings } from './response/warnings.ts'

/** A request from a socket. */
export class HttpRequest extends PipelineRequest {
  readonly life: RequestLife
  readonly warnings = new Warnings()
  readonly upgrade: Upgrade | undefined
  readonly body: RequestBody
  readonly headers: IncomingHttpHeaders
  /** The negotiated format; undefined until then. */
  format: Format | undefined
  #exchange: Exchange

  constructor(exchange: Exchange, head: { readonly info: RequestInfo; readonly query: Query; readonly upgrade: Upgrade | undefined }) {
    super(head.info, head.query)
    this.#exchange = exchange
    this.headers = exchange.headers
    this.upgrade = head.upgrade
    this.life = new RequestLife(exchange)
    this.body = { kind: 'bytes', contentType: exchange.headers['content-type'], read: () => readBody(exchange) }
  }

  /** The exchange, wrapped to report the response to the audit record if there is one. */
  get exchange(): Exchange {
    return this.#exchange
  }

  get url(): string {
    return this.#exchange.url
  }

  get userAgent(): string {
    return headerText(this.headers['user-agent'] ?? '')
  }

  get sourceIPs(): readonly string[] {
    return sourceIPs(this.headers, this.#exchange.socket.remoteAddress)
  }

  get auditId(): string {
    return this.#exchange.auditId
  }

  get over(): boolean {
    return this.life.over
  }

  get signal(): AbortSignal {
    return this.life.signal
  }

  warn(text: string): void {
    this.warnings.add(text)
  }

  override recordedBy(audit: RequestAudit | undefined): void {
    super.recordedBy(audit)
    if (audit !== undefined) this.#exchange = auditedExchange(this.#exchange, audit)
  }

  connection(): Connection {
    return { source: sourceOf(this.#exchange, this.upgrade), answer: answerOf(this.#exchange) }
  }
}

/** Reads the head of a request. Undefined if its path cannot be decoded. @throws {RequestInfoError} */
export function openRequest(exchange: Exchange, upgrade: Upgrade | undefined): HttpRequest | undefined {
  const at = exchange.url.indexOf('?')
  const path = decodePath(at < 0 ? exchange.url : exchange.url.slice(0, at))
  if (path === undefined) return undefined
  const query = parseQuery(at < 0 ? '' : exchange.url.slice(at + 1))
  return new HttpRequest(exchange, { info: readRequest(exchange.method, path, query), query, upgrade })
}

/** The audit id chosen by the client, if valid. */
export const auditIdOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && header !== '' ? headerText(header) : undefined

function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
