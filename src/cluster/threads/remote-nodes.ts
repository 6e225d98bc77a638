import type { Duplex } from 'node:stream'
import { onAbort } from '../../base/on-abort.ts'
import { sentJson } from '../../machinery/json/sent-json.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ByteDuplex } from '../../machinery/streams.ts'
import type { Pod } from '../../resources/types/core.ts'
import { NodeRefusal, type NodeStreams, type RunProcess } from '../../server/actions/node-streams.ts'
import { connectionError, streamOver } from '../../threads/byte-duplex.ts'
import type { Exchange } from '../../threads/exchange.ts'
import type { Link, Services } from '../../threads/link.ts'
import type { ClusterAccess } from '../cluster-access.ts'
import type { NodePlacing } from '../nodes/node-places.ts'
import { type NodeReach, type PodLogRequest, unreachable } from '../nodes/node-reach.ts'
import { API_SERVER_ADDRESS } from '../nodes/simulated-addresses.ts'
import { type CommandRequest, type Found, NODE_NEEDS, NODE_SERVICES, type Presence, type StreamRequest } from './node-protocol.ts'
import { followProcess } from './process-streams.ts'

export interface RemoteNodesDeps {
  readonly names: ReadonlySet<string>
  /** The port of the service `kubernetes`. */
  readonly serverPort: number
  readonly access: ClusterAccess
}

const never = new AbortController().signal

/** The nodes of another thread. While that does not run, requests to them are answered with 503. */
export class RemoteNodes implements NodeReach {
  readonly #deps: RemoteNodesDeps
  readonly #present = new Set<string>()
  /** Of all nodes, also of those that were added. */
  readonly #places = new Map<string, NodePlacing>()
  #link: Link | undefined

  readonly streams: NodeStreams = {
    exec: (requested) => this.#command({ kind: 'exec', ...requested }),
    attach: (requested) => this.#command({ kind: 'attach', ...requested }),
    portForward: async (pod) => {
      await this.#find({ kind: 'ports', pod })
      return (port, connection) => this.#forward(pod, port, connection)
    },
  }

  constructor(deps: RemoteNodesDeps) {
    this.#deps = deps
  }

  /** Where the nodes are in the network; before they start. */
  place(places: readonly NodePlacing[]): void {
    for (const place of places) this.#places.set(place.name, place)
  }

  /** For the link to a thread of nodes. */
  services(link: Link): Services {
    return {
      [NODE_NEEDS.present]: async (_asked, exchange) => {
        this.#link = link
        try {
          for await (const message of exchange) this.#heard(sentJson(message.toString()) as unknown as Presence)
        } finally {
          this.#link = undefined
          this.#present.clear()
        }
      },
    }
  }

  owns(nodeName: string): boolean {
    return this.#deps.names.has(nodeName) || this.#places.has(nodeName)
  }

  has(nodeName: string): boolean {
    return this.#present.has(nodeName)
  }

  async logs(requested: PodLogRequest, signal: AbortSignal): Promise<AsyncIterable<string>> {
    const exchange = this.#open(NODE_SERVICES.log, requested, { ended: true })
    const aborting = onAbort(signal, () => exchange.fail(signal.reason))
    await exchange.next()
    return textOf(exchange, aborting)
  }

  async kubelet(node: string): Promise<Duplex | undefined> {
    return this.owns(node) ? connectionOver(this.#open(NODE_SERVICES.kubelet, { node })) : undefined
  }

  async podPort(pod: Pod, port: number): Promise<Duplex | undefined> {
    return this.has(pod.spec.nodeName ?? '') ? connectionOver(this.#open(NODE_SERVICES.podPort, { pod, port })) : undefined
  }

  readonly inside: NodeReach['inside'] = (host, port) => {
    if (host === API_SERVER_ADDRESS && port === this.#deps.serverPort) return () => defined(this.#deps.access.connect())
    if (![...this.#places.values()].some(({ ip, podSubnets }) => ip === host || podSubnets.some((subnet) => host.startsWith(subnet))))
      return undefined
    return async () => defined(await connectionOver(this.#open(NODE_SERVICES.dial, { host, port })))
  }

  async topologyReport(pod: Pod): Promise<KubeObject | undefined> {
    if (!this.has(pod.spec.nodeName ?? '')) return undefined
    const { report } = await this.#running().ask(NODE_SERVICES.topologyReport, { pod })
    return report as KubeObject | undefined
  }

  #heard({ node, here, place }: Presence): void {
    if (place !== undefined && !this.#deps.names.has(node)) this.#places.set(node, place)
    if (here) this.#present.add(node)
    else this.#present.delete(node)
  }

  #running(): Link {
    if (this.#link === undefined) throw unreachable('the nodes of this cluster do not run at the moment')
    return this.#link
  }

  #open(service: string, requested: object, options?: { readonly ended: boolean }): Exchange {
    return this.#running().open(service, requested, options)
  }

  async #find(requested: StreamRequest): Promise<void> {
    const { refused } = (await this.#running().ask(NODE_SERVICES.find, requested)) as Found
    if (refused !== undefined) throw new NodeRefusal(refused.code, refused.message)
  }

  async #command(requested: CommandRequest): Promise<RunProcess> {
    await this.#find(requested)
    return (streams, signal) => followProcess(this.#open(NODE_SERVICES.command, requested), streams, signal)
  }

  async #forward(pod: Pod, port: number, { source, sink }: ByteDuplex): Promise<void> {
    await followProcess(this.#open(NODE_SERVICES.port, { pod, port }), { stdin: source, stdout: sink, tty: false }, never)
  }
}

async function* textOf(exchange: Exchange, aborting: Disposable): AsyncGenerator<string> {
  using _ = aborting
  try {
    for await (const message of exchange) yield message.toString()
  } finally {
    exchange.fail(new Error('the log is read no more'))
  }
}

/** Undefined: there is nothing to connect to. */
async function connectionOver(exchange: Exchange): Promise<Duplex | undefined> {
  const first = await exchange.next().catch((error: Error) => {
    throw connectionError(error)
  })
  return first === undefined ? undefined : streamOver(exchange)
}

async function defined(connection: Duplex | undefined): Promise<Duplex> {
  if (connection === undefined) throw unreachable('nothing listens there at the moment')
  return connection
}
