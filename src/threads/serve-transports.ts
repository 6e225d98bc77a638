import { actFor, type Cause } from '../base/cause.ts'
import { LruMap } from '../base/collections/lru-map.ts'
import type { ApiCall, ConnectCall, EncodedTransport, PageCall } from '../machinery/api-call.ts'
import type { JsonObject } from '../machinery/object.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import type { Exchange } from './exchange.ts'
import type { LinkService, Services } from './link.ts'
import { PortSessions, serveBytes, serveCommand } from './serve-connections.ts'

/** So many users' transports are kept for their next calls: as many as a cluster has nodes. */
const USERS = 16_384

/**
 * The services of the API server's side, for `threadTransport` at the other end. Callers are who they claim to be: they are of this
 * process.
 */
export function transportServices(transportOf: (user: UserInfo) => EncodedTransport): Services {
  const transports = new LruMap<string, EncodedTransport>(USERS)
  const as = (text: string): EncodedTransport => {
    const known = transports.get(text)
    if (known !== undefined) return known
    // This process wrote it.
    const transport = transportOf(JSON.parse(text) as UserInfo)
    transports.set(text, transport)
    return transport
  }
  const sessions = new PortSessions()
  const serving =
    <T>(serve: (transport: EncodedTransport, requested: T, exchange: Exchange) => Promise<void>): LinkService =>
    (requested: JsonObject, exchange) => {
      // As `threadTransport` has written it.
      const { as: user, call, cause } = requested as unknown as { readonly as: string; readonly call: T; readonly cause?: Cause }
      return actFor(cause, () => serve(as(user), call, exchange))
    }
  return {
    call: serving<ApiCall>(async (transport, call, exchange) => exchange.end(await transport.call(call))),
    list: serving<ApiCall>((transport, call, exchange) => tell(transport.list(call), exchange)),
    watch: serving<ApiCall>((transport, call, exchange) => tell(transport.watch({ ...call, signal: exchange.signal }), exchange)),
    page: serving<PageCall>(async (transport, page, exchange) => exchange.end(JSON.stringify(await transport.page(page)))),
    command: serving<ConnectCall>((transport, call, exchange) => serveCommand(transport.connect, call, exchange)),
    ports: serving<ConnectCall>((transport, call, exchange) => sessions.serve(transport.connect, call, exchange)),
    bytes: serving<ConnectCall>((transport, call, exchange) => serveBytes(transport.connect, call, exchange)),
    port: (requested, exchange) => sessions.connect(requested, exchange),
  }
}

/** Sends what comes, no faster than it is read: the server keeps no more for a slow reader than the window. */
async function tell(lines: AsyncIterable<string | Uint8Array>, exchange: Exchange): Promise<void> {
  for await (const message of lines) {
    const room = exchange.send(message)
    if (room !== undefined) await room
  }
  exchange.end()
}
