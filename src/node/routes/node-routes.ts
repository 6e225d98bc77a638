import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { untilAborted } from '../../base/on-abort.ts'
import { Signal } from '../../base/signal.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { NODES } from '../../resources/refs.ts'
import type { ClusterObjects } from '../cluster-objects.ts'
import { keepRules } from '../nftables/keep-rules.ts'
import type { Nft } from '../nftables/nft.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import type { IpRoutes } from './ip-routes.ts'
import { planRoutes, routesOf } from './plan-routes.ts'
import { rulesetOfWayOut } from './ruleset-of-way-out.ts'

export interface NodeRoutesDeps {
  /** The nodes. */
  readonly objects: ClusterObjects
  /** The networks of all pods. */
  readonly clusterCidrs: readonly string[]
  readonly nft: Nft
  readonly routes: IpRoutes
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Makes one network of the pods of several machines that reach each other directly: a route to each other node's pods, and the node's own
 * address for what leaves the cluster.
 */
export class NodeRoutes implements AgentPart {
  readonly #deps: NodeRoutesDeps
  readonly #changed = new Signal()
  /** Those that the kernel refuses at present; the log has each once. */
  readonly #refused = new Set<string>()

  constructor(deps: NodeRoutesDeps) {
    this.#deps = deps
  }

  nodeChanged(): void {
    this.#changed.raise()
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { objects, clusterCidrs } = this.#deps
    await Promise.race([objects.synced([NODES]), untilAborted(signal)])
    objects.onChange([NODES], () => this.#changed.raise())
    const rules = () => {
      const podCidrs = agent.node()?.spec?.podCIDRs ?? []
      return podCidrs.length === 0 ? undefined : rulesetOfWayOut(podCidrs, clusterCidrs)
    }
    const written = () => this.#writeRoutes(agent.node()?.metadata.name ?? '')
    await keepRules({ what: 'the way out', rules, written, changed: this.#changed }, this.#deps, signal)
  }

  async #writeRoutes(own: string): Promise<void> {
    const { objects, routes } = this.#deps
    const { replace, remove } = planRoutes(routesOf(listObjects(objects, NODES), own), await routes.present())
    for (const [cidr] of remove) await routes.remove(cidr)
    for (const [cidr, via] of replace) await this.#replace(cidr, via)
  }

  /** A machine on another network, or a simulated one, cannot be reached in this way. */
  async #replace(cidr: string, via: string): Promise<void> {
    const { routes, log } = this.#deps
    try {
      await routes.replace(cidr, via)
      this.#refused.delete(via)
    } catch (error) {
      if (!this.#refused.has(via)) log.info(`the pods of the node at ${via} cannot be reached from here`, { error: messageOf(error) })
      this.#refused.add(via)
    }
  }
}
