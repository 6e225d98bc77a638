import { StatusError } from '../../../machinery/status-error.ts'
import { route } from '../../handlers/route.ts'
import type { RequestCounter } from '../../request/request-counter.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'

/** The counts of a request that ends before it was counted; undefined if its path has no resource, so that clients cannot create series. */
export function countsOf({ deps }: HttpServer, request: HttpRequest): RequestCounter | undefined {
  const { info } = request
  if (deps.metrics === undefined) return undefined
  if (info.target === undefined) return deps.metrics.requests.ofPage(info.path, info.method)
  try {
    const found = route(deps.definitions, info, info.target)
    return found && deps.metrics.requests.of({ request, target: info.target, ...found })
  } catch (error) {
    if (error instanceof StatusError) return undefined
    throw error
  }
}
