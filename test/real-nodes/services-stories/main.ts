/** Plays recordings of services in namespaces of their own: `scripts/node-stories.ts` starts this file there. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { NAMESPACES, PODS } from '../../../src/resources/refs.ts'
import type { Pod } from '../../../src/resources/types/core.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import { findRuntime } from '../found-runtime.ts'
import { BUSYBOX_IMAGE } from '../make-images.ts'
import { playStories } from '../stories/play-stories.ts'
import { openTwoMachines } from '../two-machines.ts'
import { CLUSTER_CIDRS, joinNodes } from './network.ts'
import { ServicesPlayer, type ServicesStory } from './services-player.ts'

const [folder = '', recordings = '', report = '', ...names] = process.argv.slice(2)
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const { machines, outside } = await openTwoMachines(folder, found)
await using cluster = await startCluster({
  nodes: 0,
  address: '0.0.0.0',
  certificateNames: [machines[0].ip],
  clusterCidr: CLUSTER_CIDRS.join(','),
})
const client = cluster.client()
await cluster.listen()
const kubeconfig = path.join(folder, 'kubeconfig')
writeFileSync(kubeconfig, cluster.kubeconfig().replace('https://127.0.0.1:', `https://${machines[0].ip}:`))
const nodes = await joinNodes(machines, { client, kubeconfig })
const namespace = 'svc'
await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })

/** Who asks: a pod on each node. */
async function openClient(name: string, nodeName: string): Promise<Pod> {
  const containers = [{ name: 'main', image: BUSYBOX_IMAGE, command: ['sleep', '100000'] }]
  await client.create({ ...PODS, namespace }, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { nodeName, containers } })
  const pod = () => client.get({ ...PODS, namespace, name })
  await waitFor(async () => (await pod()).status?.phase === 'Running', { timeoutMs: 60_000 })
  return pod()
}

const clients = [await openClient('client-1', 'node-1'), await openClient('client-2', 'node-2')]
const player = new ServicesPlayer({ client, namespace, machines, nodes, clients, outside })
await playStories<ServicesStory>({
  recordings,
  report,
  names,
  wanted: (story) => player.rowsOf(story),
  play: (story) => player.play(story),
})
// The runtimes and the nodes go with this process.
process.exit(0)
