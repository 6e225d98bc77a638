import type { Later } from '../../../base/steps.ts'
import { asksToImpersonate, impersonationWish } from '../../identity/impersonation.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'

/** Switches to the impersonated user, if the headers request it and the sender may. Throws 403. */
export function impersonate({ impersonation }: HttpServer, request: HttpRequest): Later<void> {
  if (!asksToImpersonate(request.headers)) return
  // Node joins repeated headers into one text; each group is a header of its own.
  const wish = impersonationWish(request.exchange.lists())
  if (wish === undefined) return
  return impersonation.impersonate(wish, request.attributes).then(({ user, constraint }) => {
    request.impersonates(user)
    request.audit?.impersonated(user, constraint)
  })
}
