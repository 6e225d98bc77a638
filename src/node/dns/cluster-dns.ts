import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { untilAborted } from '../../base/on-abort.ts'
import { pause } from '../../base/pause.ts'
import type { Random } from '../../base/random.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../resources/refs.ts'
import type { ClusterObjects } from '../cluster-objects.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import { addLoopbackAddress } from './loopback-address.ts'
import { NameServer } from './name-server.ts'

export interface ClusterDnsDeps {
  readonly objects: ClusterObjects
  /** Where pods ask (`clusterDNS` of the kubelet). */
  readonly addresses: readonly string[]
  /** The node's own name servers, for names that are not of the cluster. */
  readonly upstream: readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

const RETRY_MS = 5000

/**
 * Answers the names of the cluster on each node, at the address that pods have in their `resolv.conf`. A service with that address and
 * endpoints (CoreDNS as an add-on) goes before it, because rules of services see packets first.
 */
export class ClusterDns implements AgentPart {
  readonly #deps: ClusterDnsDeps

  constructor(deps: ClusterDnsDeps) {
    this.#deps = deps
  }

  async run(_agent: AgentView, signal: AbortSignal): Promise<void> {
    const { objects, clock, log } = this.#deps
    await Promise.race([objects.synced([SERVICES, ENDPOINT_SLICES]), untilAborted(signal)])
    while (!signal.aborted) {
      try {
        await this.#serve(signal)
      } catch (error) {
        log.warn('the name server of the cluster cannot listen, trying again', { error: messageOf(error) })
        await pause(clock, RETRY_MS, signal)
      }
    }
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const { addresses } = this.#deps
    await using server = new NameServer(this.#deps)
    for (const address of addresses) {
      await addLoopbackAddress(address)
      await server.listen(address)
    }
    await untilAborted(signal)
  }
}
