import type { Logger } from '../../base/logger.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Exchange } from './exchange.ts'
import { warningHeader } from './serve.ts'

/** The one place where an error becomes an answer. What nobody foresaw is an internal error outside, and logged whole inside. */
export function writeError(exchange: Exchange, error: unknown, log: Logger, warnings: readonly string[]): void {
  const status = statusOf(error, log, exchange)
  if (exchange.started) {
    exchange.abort()
    return
  }
  const retry = status.details?.retryAfterSeconds
  exchange.answer(
    status.code,
    {
      'content-type': 'application/json',
      'cache-control': 'no-cache, private',
      ...(retry !== undefined && { 'retry-after': String(retry) }),
      ...(warnings.length > 0 && { warning: warnings.map(warningHeader) }),
    },
    `${JSON.stringify(status)}\n`,
  )
}

function statusOf(error: unknown, log: Logger, exchange: Exchange) {
  if (error instanceof StatusError) return error.status
  log.error('a request met an error that nobody foresaw', { method: exchange.method, url: exchange.url, error })
  return new StatusError({
    code: 500,
    reason: 'InternalError',
    message: 'Internal error occurred',
    details: { causes: [{ message: 'Internal error occurred' }] },
  }).status
}
