import { readFileSync, writeFileSync } from 'node:fs'
import { createClient } from '../../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../../src/sdk/client/https.ts'
import { loadKubeconfigFile } from '../../../src/sdk/client/kubeconfig.ts'
import { findRuntime } from '../../../test/real-nodes/found-runtime.ts'
import { CLUSTER_CIDRS, joinNodes } from '../../../test/real-nodes/services-stories/network.ts'
import { openTwoMachines } from '../../../test/real-nodes/two-machines.ts'
import { type ConformanceCluster, startForConformance } from '../start-for-conformance.ts'
import { suiteImages } from './suite-images.ts'

/**
 * A cluster of two real nodes: two machines in namespaces, each with containerd and `bowsprit node`; the API server runs on the first one.
 * This process has to be in namespaces of its own; all of it ends with this process.
 * @throws {Error} where real nodes cannot be
 */
export async function startOnRealNodes(folder: string): Promise<ConformanceCluster> {
  const found = findRuntime()
  if ('why' in found) throw new Error(`--real: ${found.why}`)
  const { machines } = await openTwoMachines(folder, found)
  const archive = await suiteImages()
  for (const machine of machines) machine.ctr('images', 'import', archive)
  const [{ ip }] = machines
  const network = ['--address', '0.0.0.0', '--certificate-names', ip, '--cluster-cidr', CLUSTER_CIDRS.join(',')]
  const cluster = await startForConformance(folder, ['--nodes', '0', ...network])
  // Both nodes reach the API server by this address.
  writeFileSync(cluster.kubeconfig, readFileSync(cluster.kubeconfig, 'utf8').replace('https://127.0.0.1:', `https://${ip}:`))
  await using transport = httpsTransport(await loadKubeconfigFile(cluster.kubeconfig))
  await joinNodes(machines, { client: createClient(transport), kubeconfig: cluster.kubeconfig })
  return cluster
}
