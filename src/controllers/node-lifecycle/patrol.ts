import type { Clock } from '../../base/clock.ts'
import type { Node } from '../../resources/types/core.ts'
import type { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import type { Disruption } from './disruption.ts'
import { countsForZone, isHeard, zoneKey } from './plan.ts'
import type { SignsOfLife } from './signs-of-life.ts'

export interface PatrolDeps {
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly nodes: Informer<Node>
  readonly signs: SignsOfLife
  readonly disruption: Disruption
  /** Takes the names of nodes that have to be reconciled. */
  readonly queue: Pick<WorkQueue, 'add'>
}

/** The periodic look at all nodes: those that came or went, the state of zones, and nodes that have gone silent. */
export class Patrol {
  readonly #deps: PatrolDeps
  /** The nodes of the last round, by name. */
  readonly #known = new Map<string, Node>()
  /** Ready nodes that needed nothing in this version: as long as they give signs of life they need nothing. */
  readonly #steady = new Map<string, Node>()

  constructor(deps: PatrolDeps) {
    this.#deps = deps
  }

  round(): void {
    const { signs, nodes, clock, queue } = this.#deps
    signs.look()
    this.#reportNodes()
    this.#observeZones()
    const now = clock.now()
    for (const node of nodes.list()) {
      const { name = '' } = node.metadata
      if (this.#steady.get(name) !== node || !isHeard(node, signs.ofNode(node), now)) queue.add(name)
    }
  }

  /** The node needs nothing in this version. */
  steady(node: Node): void {
    this.#steady.set(node.metadata.name ?? '', node)
  }

  forget(node: string): void {
    this.#steady.delete(node)
  }

  /** Nodes that come and go between two rounds are not reported. */
  #reportNodes(): void {
    const { nodes, events } = this.#deps
    for (const node of nodes.list()) {
      const { name = '' } = node.metadata
      if (!this.#known.has(name)) events.normal(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`)
      this.#known.set(name, node)
    }
    for (const [name, node] of this.#known) {
      if (nodes.get(name) !== undefined) continue
      this.#known.delete(name)
      events.normal(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`)
    }
  }

  #observeZones(): void {
    const { nodes, signs, disruption, clock } = this.#deps
    const now = clock.now()
    const counted = nodes.list().filter(countsForZone)
    const change = disruption.observe(counted.map((node) => ({ zone: zoneKey(node), ready: isHeard(node, signs.ofNode(node), now) })))
    // When the first nodes are back after all were lost, each has its whole grace period again.
    if (change === 'some are back') signs.renew()
  }
}
