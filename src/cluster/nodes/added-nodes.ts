import type { Logger } from '../../base/logger.ts'
import { onAbort, untilAborted } from '../../base/on-abort.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import { newNode } from '../../node/status/node-object.ts'
import { type NodeShape, readNodeShape } from '../../node/status/node-shape.ts'
import { NODES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { FIRST_ADDED, indexOfRange, LAST_ADDED, type NodePlacing, nodePlace } from './node-places.ts'
import type { SimulatedNode } from './simulated-node.ts'

/** The annotation that makes a Node simulated: its shape, as JSON. */
export const MACHINE = simulatedKey('machine')

export interface AddedNodesDeps {
  readonly nodes: Informer<Node>
  /** The names of the nodes that the cluster was started with. */
  readonly own: ReadonlySet<string>
  /** May change nodes. */
  readonly client: Client
  /** Controllers give nodes their ranges of pods. */
  readonly waitsForRange: boolean
  readonly log: Logger
  readonly open: (place: NodePlacing, shape: NodeShape) => SimulatedNode
  /** Runs the agent of a node until the signal is aborted. */
  readonly run: (node: SimulatedNode, signal: AbortSignal) => Promise<void>
  readonly closed: (node: SimulatedNode) => void
}

interface RunningNode {
  readonly stop: AbortController
  readonly ended: Promise<void>
}

/** Nodes that come and go while the cluster runs: each Node with the annotation `machine` has an agent until it is deleted. */
export class AddedNodes {
  readonly #deps: AddedNodesDeps
  readonly #running = new Map<string, RunningNode>()
  /** By the names of nodes, also of those that were removed. */
  readonly #indexes = new Map<string, number>()
  readonly #failed = Promise.withResolvers<never>()

  constructor(deps: AddedNodesDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    const { nodes } = this.#deps
    const look = (node: Node) => this.#seen(node, signal)
    const unfollow = nodes.addHandler({ added: look, updated: look, deleted: (node) => this.#gone(node, signal) })
    try {
      await Promise.race([untilAborted(signal), this.#failed.promise])
    } finally {
      unfollow()
      for (const { stop } of this.#running.values()) stop.abort()
      await Promise.allSettled([...this.#running.values()].map(({ ended }) => ended))
    }
  }

  #seen(node: Node, signal: AbortSignal): void {
    const name = node.metadata.name ?? ''
    const { own, waitsForRange } = this.#deps
    if (signal.aborted || this.#running.has(name) || own.has(name) || node.metadata.annotations?.[MACHINE] === undefined) return
    if (waitsForRange && node.spec?.podCIDRs === undefined) return
    const stop = new AbortController()
    const ended = this.#live(node, stop.signal)
    this.#running.set(name, { stop, ended })
    ended.catch((error: unknown) => this.#failed.reject(error))
  }

  #gone({ metadata: { name = '' } }: Node, signal: AbortSignal): void {
    const running = this.#running.get(name)
    if (running === undefined) return
    running.stop.abort()
    const again = () => {
      this.#running.delete(name)
      const node = this.#deps.nodes.get(name)
      if (node !== undefined) this.#seen(node, signal)
    }
    running.ended.then(again, () => {})
  }

  async #live(object: Node, signal: AbortSignal): Promise<void> {
    const { open, run, closed, log } = this.#deps
    const name = object.metadata.name ?? ''
    const index = this.#indexOf(name, object)
    if (index === undefined) return log.error(`node ${name} is not simulated: ${LAST_ADDED - FIRST_ADDED + 1} nodes were added`)
    const node = open(nodePlace(name, index, object.spec?.podCIDRs), shapeOf(object))
    await this.#complete(node)
    const unplugged = onAbort(signal, () => closed(node))
    await run(node, signal)
    unplugged[Symbol.dispose]()
    if (signal.aborted) await clear(node)
  }

  /** A Node that another has made lacks what the kubelet gives to one that it creates. */
  async #complete(node: SimulatedNode): Promise<void> {
    const { client } = this.#deps
    const { metadata, spec, status } = newNode(node, 0)
    const target = { ...NODES, name: node.name }
    await client.patch(target, 'merge', {
      metadata: { labels: metadata.labels },
      spec: { podCIDR: spec?.podCIDR, podCIDRs: spec?.podCIDRs },
    })
    await client.patch({ ...target, subresource: 'status' }, 'merge', { status: { capacity: status?.capacity } })
  }

  #indexOf(name: string, { spec }: Node): number | undefined {
    const known = this.#indexes.get(name) ?? indexOfRange(spec?.podCIDR)
    if (known !== undefined) this.#indexes.set(name, known)
    if (known !== undefined) return known
    const taken = new Set([...this.#indexes.values(), ...this.#deps.nodes.list().map((node) => indexOfRange(node.spec?.podCIDR))])
    for (let index = FIRST_ADDED; index <= LAST_ADDED; index++) {
      if (taken.has(index)) continue
      this.#indexes.set(name, index)
      return index
    }
    return undefined
  }
}

/** The shape in the annotation; one that cannot be read is that of a plain node. */
function shapeOf({ metadata: { annotations } }: Node): NodeShape {
  try {
    const given: unknown = JSON.parse(annotations?.[MACHINE] ?? '{}')
    return isObject(given) ? readNodeShape(given as JsonObject, MACHINE) : {}
  } catch {
    return {}
  }
}

/** The machine is gone, and with it what ran there. */
async function clear({ runtime }: SimulatedNode): Promise<void> {
  const { signal } = new AbortController()
  for (const { id } of await runtime.sandboxes({}, signal)) await runtime.removeSandbox(id, signal)
}
