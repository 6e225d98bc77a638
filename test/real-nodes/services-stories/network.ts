import { openSync } from 'node:fs'
import path from 'node:path'
import { NODES } from '../../../src/resources/refs.ts'
import type { Node } from '../../../src/resources/types/core.ts'
import type { Client } from '../../../src/sdk/client/client.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import { spawnNode } from '../node-process.ts'
import { isReady } from '../real-pods.ts'
import { writeKubeletConfig } from '../start-agent.ts'
import type { ReachedMachine } from '../two-machines.ts'

/** The addresses of all pods, as the recordings have them. */
export const CLUSTER_CIDRS = ['10.244.0.0/16', 'fd00:244::/56']

/** Starts a node on each machine, which make one network of their pods. Resolves when both are ready. */
export async function joinNodes(
  machines: readonly ReachedMachine[],
  { client, kubeconfig }: { readonly client: Client; readonly kubeconfig: string },
): Promise<readonly Node[]> {
  for (const [i, machine] of machines.entries()) {
    const config = writeKubeletConfig(machine.folder, machine, { clusterDNS: ['10.0.0.10'] })
    const log = openSync(path.join(machine.folder, 'agent.log'), 'a')
    const own = ['--name', `node-${i + 1}`, '--node-ip', `${machine.ip},fd00:2::1${i + 1}`, '--config', config]
    const flags = ['--kubeconfig', kubeconfig, '--runtime', machine.endpoint, ...own, '--cluster-cidr', CLUSTER_CIDRS.join(',')]
    const network = ['--cni', machine.cniFolder]
    spawnNode([...flags, ...network], ['ignore', log, log], machine.enter)
    // One after the other, so that the first one gets the first addresses.
    await nodeWith(client, `node-${i + 1}`, ({ spec }) => (spec?.podCIDRs ?? []).length === CLUSTER_CIDRS.length)
  }
  return Promise.all(machines.map((_, i) => nodeWith(client, `node-${i + 1}`, isReady)))
}

async function nodeWith(client: Client, name: string, wanted: (node: Node) => boolean): Promise<Node> {
  let node: Node | undefined
  await waitFor(
    async () => {
      node = await client.get({ ...NODES, name }).catch(() => undefined)
      return node !== undefined && wanted(node)
    },
    { timeoutMs: 60_000 },
  )
  if (node === undefined) throw new Error(`invariant: node ${name} was seen`)
  return node
}
