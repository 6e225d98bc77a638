import type { DelegatedRequest, DelegatedResponse, DelegateServer } from '../../apiserver/delegate-server.ts'
import { PEER_PROXIED } from '../../apiserver/peer-servers.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Transport } from '../../machinery/api-call.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { delegateTransport } from '../aggregation/delegate-transport.ts'
import { type ForwardTo, forward, forwardUpgrade, plainError } from '../aggregation/forward.ts'
import { NetworkError } from '../services/network-error.ts'

export interface PeerProxyDeps {
  readonly clock: Clock
  readonly random: Random
  /** How a server is reached; undefined: it is gone. */
  readonly reach: (identity: string) => Promise<Omit<ForwardTo, 'rejectRedirects'> | undefined>
}

/** Forwards requests to one of several servers, any one that can be reached. */
export class PeerProxy implements DelegateServer {
  readonly #identities: readonly string[]
  readonly #deps: PeerProxyDeps

  constructor(identities: readonly string[], deps: PeerProxyDeps) {
    this.#identities = identities
    this.#deps = deps
  }

  async forward(request: DelegatedRequest, answer: DelegatedResponse): Promise<void> {
    const to = await this.#choose()
    if (to === undefined) return plainError(answer, 503, UNREACHABLE)
    const headers = { ...request.headers, [PEER_PROXIED]: ['true'] }
    const { upgrade } = request
    if (upgrade === undefined) return forward({ ...request, headers }, answer, to)
    return forwardUpgrade({ ...request, headers, upgrade }, answer, to)
  }

  transport(user: UserInfo): Transport {
    const send: Parameters<typeof delegateTransport>[0]['delegate']['send'] = async (request) => {
      const to = await this.#choose()
      if (to === undefined) throw new NetworkError('unreachable', UNREACHABLE)
      return to.connections.send({ ...request, host: to.host, headers: { ...request.headers, [PEER_PROXIED]: 'true' } })
    }
    return delegateTransport({ user, clock: this.#deps.clock, delegate: { available: true, send } })
  }

  async #choose(): Promise<ForwardTo | undefined> {
    const { random, reach } = this.#deps
    const all = await Promise.all(this.#identities.map(reach))
    const reachable = all.filter((one) => one !== undefined)
    const to = reachable[Math.floor(random.next() * reachable.length)]
    return to && { ...to, rejectRedirects: false }
  }
}

/** Kube-apiserver's text. */
const UNREACHABLE = 'Error getting ip and port info of the remote server while proxying'
