import { patchKind } from '../../handlers/patch/patch.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'
import { requireRoute } from '../response/negotiate.ts'
import { offerOf } from './negotiate-format.ts'

/**
 * Refuses media types that Kubernetes' router does not let through to the handler of a built-in kind: of patches (415), and of responses
 * (406).
 */
export function matchMediaTypes(_server: HttpServer, request: HttpRequest): void {
  const { call, info, headers } = request
  const offer = offerOf(request)
  if (call === undefined || offer === undefined || offer.unrouted === true) return
  if (info.verb === 'patch') patchKind(call)
  requireRoute(headers.accept, offer)
}
