import { writeFile } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { untilAborted } from '../../base/on-abort.ts'
import { Signal } from '../../base/signal.ts'
import { podText } from '../../machinery/network/network-world.ts'
import { worldOf } from '../../machinery/network/world-of-objects.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { NAMESPACES, NETWORK_POLICIES, PODS } from '../../resources/refs.ts'
import type { ClusterObjects } from '../cluster-objects.ts'
import { keepRules } from '../nftables/keep-rules.ts'
import type { Nft } from '../nftables/nft.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import { rulesetOfPolicies } from './ruleset-of-policies.ts'

export interface NetworkPoliciesDeps {
  /** Namespaces and policies. */
  readonly objects: ClusterObjects
  /** The pods of the whole cluster; they are followed once there is a policy. */
  readonly pods: ClusterObjects
  readonly nft: Nft
  readonly clock: Clock
  readonly log: Logger
}

const READ = [NAMESPACES, NETWORK_POLICIES]
/** Without them, packets between pods of one bridge pass no rule. */
const BRIDGE_SETTINGS = ['bridge-nf-call-iptables', 'bridge-nf-call-ip6tables'].map((name) => `/proc/sys/net/bridge/${name}`)

/** Drops what NetworkPolicies do not allow to and from the pods of this node, by rules of the kernel. */
export class NetworkPolicies implements AgentPart {
  readonly #deps: NetworkPoliciesDeps
  readonly #changed = new Signal()

  constructor(deps: NetworkPoliciesDeps) {
    this.#deps = deps
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { objects, pods } = this.#deps
    await Promise.race([objects.synced(READ), untilAborted(signal)])
    const changed = () => this.#changed.raise()
    objects.onChange(READ, changed)
    let following: Promise<void> | undefined
    let known = false
    const follow = async () => {
      await this.#letBridgesPassRules()
      pods.onChange([PODS], changed)
      const running = pods.run(signal)
      await Promise.race([pods.synced([PODS]), running])
      known = true
      changed()
      await running
    }
    const rules = () => {
      const policies = listObjects(objects, NETWORK_POLICIES)
      if (policies.length > 0) following ??= follow()
      if (policies.length > 0 && !known) return undefined
      const all = listObjects(pods, PODS)
      const own = agent.node()?.metadata.name
      const local = new Set(all.flatMap(({ metadata, spec }) => (spec?.nodeName === own ? [`${metadata.namespace}/${metadata.name}`] : [])))
      const world = worldOf({ namespaces: listObjects(objects, NAMESPACES), pods: all, policies })
      return rulesetOfPolicies(world, (pod) => local.has(podText(pod)))
    }
    await keepRules({ what: 'network policies', rules, changed: this.#changed }, this.#deps, signal)
    await following
  }

  async #letBridgesPassRules(): Promise<void> {
    try {
      for (const file of BRIDGE_SETTINGS) await writeFile(file, '1')
    } catch (error) {
      this.#deps.log.warn('policies do not hold between pods of one bridge: the kernel module br_netfilter is not loaded', { error })
    }
  }
}
