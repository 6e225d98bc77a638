import { openSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { NODES } from '../../../src/resources/refs.ts'
import type { Node } from '../../../src/resources/types/core.ts'
import type { Client } from '../../../src/sdk/client/client.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import { runOnNode } from '../in-pod.ts'
import { networkOf } from '../machine.ts'
import { spawnNode } from '../node-process.ts'
import { writeKubeletConfig } from '../start-agent.ts'
import type { ReachedMachine } from '../two-machines.ts'

/** The addresses of all pods, as the recordings have them. */
export const CLUSTER_CIDRS = ['10.244.0.0/16', 'fd00:244::/56']

/** What leaves the cluster gets the node's address; what stays in it keeps that of its pod. */
const MASQUERADE = `table inet way-out {
  chain post {
    type nat hook postrouting priority 100;
    ip saddr 10.244.0.0/16 ip daddr != 10.244.0.0/16 oifname "eth0" masquerade
    ip6 saddr fd00:244::/56 ip6 daddr != fd00:244::/56 oifname "eth0" masquerade
  }
}`

/** Starts a node on each machine, and makes one network of their pods, as `oracle/node-up.sh` does. Resolves when both are ready. */
export async function joinNodes(
  machines: readonly ReachedMachine[],
  { client, kubeconfig }: { readonly client: Client; readonly kubeconfig: string },
): Promise<readonly Node[]> {
  for (const [i, machine] of machines.entries()) {
    const config = writeKubeletConfig(machine.folder, machine, { clusterDNS: ['10.0.0.10'] })
    const log = openSync(path.join(machine.folder, 'agent.log'), 'a')
    const own = ['--name', `node-${i + 1}`, '--node-ip', `${machine.ip},fd00:2::1${i + 1}`, '--config', config]
    const flags = ['--kubeconfig', kubeconfig, '--runtime', machine.endpoint, ...own, '--cluster-cidr', CLUSTER_CIDRS.join(',')]
    spawnNode(flags, ['ignore', log, log], machine.enter)
    // One after the other, so that the first one gets the first addresses.
    await nodeWith(client, `node-${i + 1}`, ({ spec }) => (spec?.podCIDRs ?? []).length === CLUSTER_CIDRS.length)
  }
  const nodes: Node[] = []
  for (const [i, machine] of machines.entries()) {
    const { spec } = await client.get({ ...NODES, name: `node-${i + 1}` })
    const podCidrs = spec?.podCIDRs ?? []
    writeFileSync(path.join(machine.cniFolder, '10-test.conflist'), JSON.stringify(networkOf(podCidrs)))
    await runOnNode(`nft -f - <<'X'\n${MASQUERADE}\nX`, machine)
    for (const other of machines)
      if (other !== machine)
        for (const cidr of podCidrs) {
          const via = cidr.includes(':') ? `fd00:2::1${i + 1}` : machine.ip
          await runOnNode(`ip ${cidr.includes(':') ? '-6' : ''} route replace ${cidr} via ${via}`, other)
        }
    nodes.push(await nodeWith(client, `node-${i + 1}`, isReady))
  }
  return nodes
}

const isReady = ({ status }: Node) => status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true

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
