import { andThen, type Later } from '../../../base/steps.ts'
import { ANONYMOUS, type UserInfo } from '../../../machinery/resource/user.ts'
import { type Credentials, mayBeFrontProxy } from '../../identity/authenticator.ts'
import { headerText } from '../header-value.ts'
import type { HttpRequest } from '../http-request.ts'
import type { HttpServer } from '../http-server.ts'

/** Authenticates the sender. Throws 401. */
export function authenticate(server: HttpServer, request: HttpRequest): Later<void> {
  const { authenticator, metrics, clock } = server.deps
  const begun = metrics === undefined ? 0 : clock.monotonic()
  const seconds = () => (clock.monotonic() - begun) / 1000
  const failed = (error: unknown): never => {
    // Wrong credentials are an error; none at all, where some are needed, a failure.
    metrics?.authenticated(request.headers.authorization === undefined ? 'failure' : 'error', seconds())
    throw error
  }
  const found = (user: UserInfo = ANONYMOUS) => {
    metrics?.authenticated('success', seconds(), user.name)
    request.authenticated(user)
  }
  let user: Later<UserInfo | undefined>
  try {
    user = authenticator.authenticate(credentialsOf(server, request))
  } catch (error) {
    return failed(error)
  }
  return andThen(user instanceof Promise ? user.catch(failed) : user, found)
}

function credentialsOf({ deps, peers }: HttpServer, request: HttpRequest): Credentials {
  const { exchange, headers } = request
  const peer = peers.of(exchange.socket, deps.clock.now())
  const proven = peer.kind === 'proven' ? peer.certificate : undefined
  return {
    path: request.info.path,
    warn: (text) => request.warn(text),
    ...(proven && { certificate: proven }),
    ...(peer.kind === 'wrong' && { wrongCertificate: true }),
    ...(headers.authorization !== undefined && { authorization: headerText(headers.authorization) }),
    // A front proxy may repeat the headers that name users and groups.
    headers: proven !== undefined && mayBeFrontProxy(proven) ? exchange.lists() : headers,
  }
}
