import type { Later } from '../../../base/steps.ts'
import { asksToImpersonate, impersonationWish } from '../../identity/impersonation.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'

/** The request is carried out as another user, where its headers ask for it and its sender may. Throws 403. */
export function impersonate({ impersonation }: HttpServer, request: HttpRequest): Later<void> {
  if (!asksToImpersonate(request.headers)) return
  // Node joins headers of one name into one text; groups come in one header each.
  const wish = impersonationWish(request.exchange.lists())
  if (wish === undefined) return
  return impersonation.impersonate(wish, request.attributes).then(({ user, constraint }) => {
    request.impersonates(user)
    request.audit?.impersonated(user, constraint)
  })
}
