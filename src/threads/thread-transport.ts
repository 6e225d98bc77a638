import { currentCause } from '../base/cause.ts'
import { onAbort } from '../base/on-abort.ts'
import type { ApiCall, PageResponse, Transport, WatchEvent } from '../machinery/api-call.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import { eventsIn, ListReader } from './lines.ts'
import { type Link, wholeResponse } from './link.ts'
import { threadConnections } from './thread-connections.ts'

/** Calls as that user to the API server at the other end of the link, which offers `transportServices`. */
export function threadTransport(link: Link, user: UserInfo): Transport {
  const as = JSON.stringify(user)
  const requested = ({ signal: _, ...call }: ApiCall) => {
    const cause = currentCause()
    return { as, call, ...(cause && { cause: { ...cause } }) }
  }
  return {
    call(call) {
      // Calls that wait for their turn are sent from another context: the cause is read now.
      const sent = requested(call)
      return link.calls.run(() => (call.verb === 'list' ? list(sent, call.signal) : one(sent, call.signal)))
    },
    watch,
    async page({ signal, ...page }) {
      return (await link.ask('page', { as, call: page }, signal)) as unknown as PageResponse
    },
    connect: threadConnections(link, as),
  }

  async function one(sent: ReturnType<typeof requested>, signal: AbortSignal | undefined): Promise<KubeObject> {
    const bytes = await wholeResponse(link.open('call', sent, { ended: true }), signal)
    return link.texts.object(bytes.toString())
  }

  async function list(sent: ReturnType<typeof requested>, signal: AbortSignal | undefined): Promise<KubeObject> {
    const exchange = link.open('list', sent, { ended: true })
    using _ = onAbort(signal, () => exchange.fail(signal?.reason))
    const reader = new ListReader(link.texts)
    for await (const message of exchange) reader.read(message)
    return reader.list
  }

  async function* watch(call: ApiCall): AsyncGenerator<readonly WatchEvent[]> {
    const exchange = link.open('watch', requested(call), { ended: true })
    using _ = onAbort(call.signal, () => exchange.fail(call.signal?.reason))
    try {
      for await (const message of exchange) yield eventsIn(message, link.texts)
    } catch (error) {
      if (call.signal?.aborted !== true) throw error
    } finally {
      exchange.fail(new Error('the watch is read no more'))
    }
  }
}
