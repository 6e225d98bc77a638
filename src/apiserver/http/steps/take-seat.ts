import { andThen, type Later } from '../../../base/steps.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'

/**
 * Classifies the request, waits for a seat of the request's priority level and holds it until the request is over. Throws 429. Long-running
 * requests need none.
 */
export function takeSeat({ deps: { flow, metrics } }: HttpServer, request: HttpRequest): Later<void> {
  const classification = flow?.classify(request)
  request.exchange.flow = classification?.headers
  if (request.long) return
  const running = () => {
    if (metrics !== undefined) request.life.hold(metrics.enter(request.info.method))
  }
  if (flow === undefined) return running()
  return andThen(flow.enter(request, classification), (leave) => {
    request.life.hold(leave)
    running()
  })
}
