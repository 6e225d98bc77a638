import type { Logger } from '../../../base/logger.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { type Status, StatusError } from '../../../machinery/status-error.ts'
import { DeniedError, escapeMarkup } from '../../identity/authorizer.ts'
import type { Kinds } from '../../kinds.ts'
import { AuthorizationError } from '../../pipeline/authorize.ts'
import { AuditLostError } from '../../pipeline/begin-audit.ts'
import { noRequestInfo } from '../../request/request-info.ts'
import type { Exchange } from '../exchange.ts'
import { encode } from './encode.ts'
import { type Format, JSON_FORMAT } from './negotiate.ts'
import type { Warnings } from './warnings.ts'

export interface ErrorContext {
  readonly log: Logger
  readonly warnings: Warnings
  readonly format: Format
  readonly kinds: Kinds
  /** Called with the Status that is sent. */
  readonly note?: (status: Status) => void
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
const UNCACHED = { ...PLAIN, 'cache-control': 'no-cache, private' }

/** The path of a request ends with a prefix: it is refused before anything else looks at it. */
export function writeRequestInfoError(exchange: Exchange): void {
  writePlainError(exchange, noRequestInfo(exchange.url), PLAIN)
}

/** Errors that occur before authentication, in plain text. */
function writePlainError(exchange: Exchange, why: string, headers: Readonly<Record<string, string>> = UNCACHED): void {
  exchange.answer(500, headers, `Internal Server Error: ${escapeMarkup(`${goQuote(exchange.url)}: ${why}`)}\n`)
}

/** The only place that turns an error into a response. An unknown error is sent as an internal error, and logged in full. */
export async function writeError(exchange: Exchange, error: unknown, { log, warnings, format, kinds, note }: ErrorContext): Promise<void> {
  if (error instanceof AuthorizationError && !exchange.started) {
    log.error('a request could not be authorized because of an error', { method: exchange.method, url: exchange.url, error })
    return writePlainError(exchange, error.message)
  }
  if (error instanceof AuditLostError && !exchange.started) return writePlainError(exchange, error.message)
  const status = statusOf(error, log, exchange)
  if (exchange.started) {
    exchange.abort()
    return
  }
  note?.(status)
  const retry = status.details?.retryAfterSeconds
  const warning = warnings.values()
  const { body, type } = await encode(status, format, kinds).catch(() => encode(status, JSON_FORMAT, kinds))
  const headers = {
    'content-type': type,
    'cache-control': 'no-cache, private',
    // These messages contain names chosen by clients.
    ...(error instanceof DeniedError && { 'x-content-type-options': 'nosniff' }),
    ...(Number.isSafeInteger(retry) && { 'retry-after': String(retry) }),
    ...(warning.length > 0 && { warning }),
  }
  exchange.answer(status.code, headers, body)
}

function statusOf(error: unknown, log: Logger, exchange: Exchange): Status {
  if (error instanceof StatusError) return error.status
  log.error('a request failed with an unexpected error', { method: exchange.method, url: exchange.url, error })
  const why = 'Internal error occurred'
  return new StatusError({ code: 500, reason: 'InternalError', message: why, details: { causes: [{ message: why }] } }).status
}
