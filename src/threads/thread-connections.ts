import { onAbort } from '../base/on-abort.ts'
import type { ConnectCall, Connections } from '../machinery/api-call.ts'
import { duplexOver } from './byte-duplex.ts'
import type { Exchange } from './exchange.ts'
import type { Link } from './link.ts'
import { processOver } from './process-frames.ts'

/** Streams into containers by way of the API server at the other end of the link. Each begins with a message of nothing, or fails. */
export function threadConnections(link: Link, as: string): Connections {
  const opened = async (service: string, { signal, ...call }: ConnectCall): Promise<Exchange> => {
    const exchange = link.open(service, { as, call })
    onAbort(signal, () => exchange.fail(signal?.reason))
    await exchange.next()
    return exchange
  }
  return {
    command: async (call) => processOver(await opened('command', call)),
    async ports(call) {
      const session = await opened('ports', call)
      return {
        async open(port) {
          return duplexOver(link.open('port', { session: session.id, port }))
        },
        async [Symbol.asyncDispose]() {
          session.fail(new Error('the client has gone'))
        },
      }
    },
    async bytes(call) {
      const exchange = await opened('bytes', call)
      exchange.end()
      return exchange
    },
  }
}
