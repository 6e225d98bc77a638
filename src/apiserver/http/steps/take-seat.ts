import { andThen, type Later, whenEnded } from '../../../base/steps.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'
import { countsOf } from './counts-of.ts'

/**
 * Classifies the request, waits for a seat of the request's priority level and holds it until the request is over. Throws 429. Watches are
 * classified, but need no seat; other long-running requests pass flow control by.
 */
export function takeSeat(server: HttpServer, request: HttpRequest): Later<void> {
  const { flow, metrics } = server.deps
  if (request.long && request.info.verb !== 'watch') return
  const classification = flow?.classify(request)
  if (classification !== undefined) request.exchange.fixed = { ...request.exchange.fixed, ...classification.headers }
  if (request.long) return
  const running = () => {
    if (metrics !== undefined) request.life.hold(metrics.enter(request.info.method))
  }
  if (flow === undefined) return running()
  const entered = whenEnded(
    () => flow.enter(request, classification),
    (error) => {
      if (error instanceof StatusError && error.code === 429) countsOf(server, request)?.terminate(429)
    },
  )
  return andThen(entered, (leave) => {
    request.life.hold(leave)
    running()
  })
}
