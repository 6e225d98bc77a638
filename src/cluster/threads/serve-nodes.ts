import type { Duplex } from 'node:stream'
import { dialRefused } from '../../base/http/network-error.ts'
import type { Later } from '../../base/steps.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { ProcessStreams } from '../../machinery/streams.ts'
import { NodeRefusal, type RunProcess } from '../../server/actions/node-streams.ts'
import { crossingError, joinStream } from '../../threads/byte-duplex.ts'
import type { Exchange } from '../../threads/exchange.ts'
import type { LinkService, Services } from '../../threads/link.ts'
import type { NodeReach, PodLogRequest } from '../nodes/node-reach.ts'
import { type CommandRequest, type Found, NODE_SERVICES, type PortRequest, type StreamRequest } from './node-protocol.ts'
import { serveProcess } from './process-streams.ts'

/** The services of the nodes' thread, for `RemoteNodes` at the other end of the link, which has written the request. */
export function nodeServices(nodes: NodeReach): Services {
  const { streams } = nodes
  const commandOf = (requested: CommandRequest): Promise<RunProcess> =>
    requested.kind === 'exec' ? streams.exec(requested) : streams.attach(requested)
  return {
    [NODE_SERVICES.log]: serving<PodLogRequest>(async (requested, exchange) => {
      const log = await nodes.logs(requested, exchange.signal)
      await exchange.send('')
      for await (const text of log) await exchange.send(text)
      exchange.end()
    }),
    [NODE_SERVICES.find]: serving<StreamRequest>(async (requested, exchange) => {
      const found = requested.kind === 'ports' ? streams.portForward(requested.pod) : commandOf(requested)
      exchange.end(JSON.stringify(await foundOf(found)))
    }),
    [NODE_SERVICES.command]: serving<CommandRequest>(async (requested, exchange) =>
      serveProcess(exchange, requested.streams, await commandOf(requested)),
    ),
    [NODE_SERVICES.port]: serving<PortRequest>(async ({ pod, port }, exchange) => {
      const join = await streams.portForward(pod)
      await serveProcess(exchange, { stdin: true, stdout: true, stderr: false, tty: false }, async ({ stdin, stdout }: ProcessStreams) => {
        if (stdin !== undefined && stdout !== undefined) await join(port, { source: stdin, sink: stdout })
        return { exitCode: 0 }
      })
    }),
    [NODE_SERVICES.kubelet]: connecting<{ readonly node: string }>(({ node }) => nodes.kubelet(node)),
    [NODE_SERVICES.podPort]: connecting<PortRequest>(({ pod, port }) => nodes.podPort(pod, port)),
    [NODE_SERVICES.dial]: connecting<{ readonly host: string; readonly port: number }>(({ host, port }) => {
      const connect = nodes.inside(host, port)
      if (connect === undefined) throw new Error(dialRefused(`${host}:${port}`))
      return connect()
    }),
    [NODE_SERVICES.topologyReport]: serving<PortRequest>(async ({ pod }, exchange) => {
      exchange.end(JSON.stringify({ report: await nodes.topologyReport(pod) }))
    }),
  }
}

const serving =
  <T>(serve: (requested: T, exchange: Exchange) => Promise<void>): LinkService =>
  (requested: JsonObject, exchange) =>
    serve(requested as T, exchange)

/** Begins with an empty message; ends at once where there is nothing to connect to. */
const connecting = <T>(connect: (requested: T) => Later<Duplex | undefined>): LinkService =>
  serving<T>(async (requested, exchange) => {
    const connection = await dialled(() => connect(requested))
    if (connection === undefined) return exchange.end()
    await exchange.send('')
    joinStream(exchange, connection)
  })

async function dialled<T>(connect: () => Later<T>): Promise<T> {
  try {
    return await connect()
  } catch (error) {
    throw crossingError(error)
  }
}

async function foundOf(found: Promise<unknown>): Promise<Found> {
  try {
    await found
    return {}
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
}
