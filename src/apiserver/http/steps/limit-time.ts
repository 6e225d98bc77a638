import { ownLimitMs, requestTimeout } from '../connection/request-limit.ts'
import { fail } from '../fail.ts'
import { delegateTimeout } from '../forward.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'
import { countsOf } from './counts-of.ts'

/**
 * Starts the request's time limit. When it expires, the request is answered with 504 or aborted, its signal is aborted, and its seat is
 * released.
 */
export function limitTime(server: HttpServer, request: HttpRequest): void {
  if (request.long) return
  const { life } = request
  const expired = () => expire(server, request)
  life.within(server.limits.begin(expired))
  const own = ownLimitMs(request.query)
  if (own !== undefined) life.within(server.clock.after(own, expired))
}

function expire(server: HttpServer, request: HttpRequest): void {
  const { life, exchange } = request
  if (life.over) return
  const timeout = requestTimeout()
  const counts = countsOf(server, request)
  counts?.terminate(504)
  counts?.abort()
  const begun = exchange.started
  life.expire(timeout)
  if (begun) exchange.abort()
  else if (request.result?.kind === 'delegated') delegateTimeout(exchange, timeout)
  else
    fail(server, request, timeout).then(
      () => exchange.finish(),
      () => exchange.abort(),
    )
}
