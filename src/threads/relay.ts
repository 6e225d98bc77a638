import type { JsonObject } from '../machinery/object.ts'
import { notFound } from '../machinery/status-error.ts'
import type { Exchange } from './exchange.ts'
import type { Link, LinkService, Services } from './link.ts'

/** The services of clients' calls that have no state beside their exchange. */
const PLAIN = ['call', 'list', 'watch', 'page', 'command', 'bytes'] as const

/** The services of `transportServices` at the other end of a link, for a third thread. */
export function relayedTransports(upstream: Link): Services {
  const relay =
    (name: string): LinkService =>
    (requested, exchange) =>
      relayExchange(exchange, upstream.open(name, requested))
  const sessions = new Map<number, number>()
  return {
    ...Object.fromEntries(PLAIN.map((name) => [name, relay(name)])),
    async ports(requested, exchange) {
      const session = upstream.open('ports', requested)
      sessions.set(exchange.id, session.id)
      await relayExchange(exchange, session).finally(() => sessions.delete(exchange.id))
    },
    // A connection names its session by the number that it has on its own link.
    async port(requested: JsonObject, exchange) {
      const session = sessions.get(Number(requested.session))
      if (session === undefined) throw notFound({ group: '', resource: 'portforwards' }, String(requested.session))
      await relayExchange(exchange, upstream.open('port', { ...requested, session }))
    },
  }
}

/** Passes on what each side sends, no faster than the other reads it. A failure of one side ends the other. */
export async function relayExchange(near: Exchange, far: Exchange): Promise<void> {
  try {
    await Promise.all([handOn(near, far), handOn(far, near)])
  } catch (error) {
    near.fail(error)
    far.fail(error)
  }
}

async function handOn(from: Exchange, to: Exchange): Promise<void> {
  for await (const message of from) {
    const room = to.send(message)
    if (room !== undefined) await room
  }
  to.end()
}
