import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from '../../../base/logger.ts'
import { messageOf } from '../../../base/message-of.ts'
import { replaceFile } from '../../../base/replace-file.ts'
import { Signal } from '../../../base/signal.ts'
import type { AgentPart, AgentView } from '../../types/agent-part.ts'

const FILE = '10-bowsprit.conflist'
/** What runtimes read there. */
const CONFIGURATION = /\.(conf|conflist|json)$/

/**
 * A list of plugins that makes a working network of a node's pods: a bridge, host ports, bandwidth. With `hides` other machines see the
 * node's address, pods on other nodes too. Pure.
 */
export function networkList(podCidrs: readonly string[], { hides }: { readonly hides: boolean }) {
  const routes = podCidrs.map((cidr) => ({ dst: cidr.includes(':') ? '::/0' : '0.0.0.0/0' }))
  return {
    cniVersion: '1.0.0',
    name: 'bowsprit',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: hides,
        // A pod reaches itself by a service.
        hairpinMode: true,
        ipam: { type: 'host-local', ranges: podCidrs.map((subnet) => [{ subnet }]), routes },
      },
      { type: 'portmap', capabilities: { portMappings: true }, snat: true },
      { type: 'bandwidth', capabilities: { bandwidth: true } },
    ],
  }
}

export interface CniNetworkDeps {
  /** Pods are hidden behind their node's address: no other part does that for what leaves the cluster. */
  readonly hides: boolean
  readonly log: Logger
}

/** Writes a list of network plugins for the runtime, with the addresses that the Node has for pods, where there is none. */
export class CniNetwork implements AgentPart {
  readonly #folder: string
  readonly #deps: CniNetworkDeps
  readonly #changed = new Signal()

  constructor(folder: string, deps: CniNetworkDeps) {
    this.#folder = folder
    this.#deps = deps
  }

  nodeChanged(): void {
    this.#changed.raise()
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const cidrs = agent.node()?.spec?.podCIDRs ?? []
      if (cidrs.length > 0) return this.#write(cidrs)
      await this.#changed.wait({ signal })
    }
  }

  async #write(podCidrs: readonly string[]): Promise<void> {
    try {
      await writeNetworkList(this.#folder, networkList(podCidrs, this.#deps))
    } catch (error) {
      this.#deps.log.error(`no network could be configured in ${this.#folder}`, { error: messageOf(error) })
    }
  }
}

/** Where another configuration is there it stays as it is; one of ours follows the addresses. Its readers never see half of it. */
export async function writeNetworkList(folder: string, list: ReturnType<typeof networkList>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const others = (await readdir(folder)).filter((name) => CONFIGURATION.test(name) && name !== FILE)
  if (others.length > 0) return
  replaceFile(path.join(folder, FILE), `${JSON.stringify(list, undefined, 2)}\n`, 0o644)
}
