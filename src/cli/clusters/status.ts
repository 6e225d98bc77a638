import { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import { messageOf } from '../../base/message-of.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { httpsTransport } from '../../sdk/client/https.ts'
import { loadKubeconfigFile } from '../../sdk/client/kubeconfig.ts'
import { word } from '../option-values.ts'
import { reporting } from '../report-failure.ts'
import { type ClusterRecord, ClusterRecords } from './cluster-record.ts'
import { clustersHome, DEFAULT_NAME, folderOf, isCluster } from './clusters-home.ts'
import { storageOf } from './list.ts'
import { machineAddresses } from './machine-addresses.ts'

/** So long it waits for the cluster's services. */
const SERVICES_MS = 5000

/** `bowsprit status`: exit code 0 when the cluster runs, 3 when it does not, as `systemctl status`. */
export function statusCommand(): Command {
  return new Command('status')
    .description('show whether a cluster runs, its address, and those of its services (exit code 3 if it does not run)')
    .argument('[name]', 'the name of the cluster', word, DEFAULT_NAME)
    .action((name: string) =>
      reporting('status', async () => {
        const { text, running } = statusOf(name, clustersHome())
        console.log(text)
        if (running === undefined) process.exitCode = 3
        else for (const line of await addressLines(running)) console.log(line)
      }),
    )
}

/** @throws {ConfigError} for a name that no cluster can have */
export function statusOf(name: string, home: string): { readonly text: string; readonly running: ClusterRecord | undefined } {
  const folder = folderOf(name, home)
  const running = new ClusterRecords(home).find(name)
  if (running !== undefined) return { text: runningText(running), running }
  return { text: isCluster(folder) ? `${name} is stopped; it is kept in ${folder}` : `there is no cluster ${name}`, running }
}

const runningText = (record: ClusterRecord) =>
  [
    `${record.name} is running since ${record.since}`,
    `  address     ${record.address}`,
    `  nodes       ${record.nodes}`,
    `  storage     ${storageOf(record)}`,
    `  kubeconfig  ${record.kubeconfig}`,
    `  process     ${record.pid}`,
  ].join('\n')

/** A line for each service, Ingress and Gateway that is reached from this machine. A cluster that does not respond is no failure. */
async function addressLines({ kubeconfig, since, serviceAddresses: nodePorts = false }: ClusterRecord): Promise<readonly string[]> {
  using limit = limitedSignal(systemClock, SERVICES_MS)
  try {
    await using transport = httpsTransport(await loadKubeconfigFile(kubeconfig))
    const found = await machineAddresses(createClient(transport), { nodePorts, since, signal: limit.signal })
    return found.map(({ kind, name, at }) => `  ${kind.padEnd(12)}${name}  ${at.join(', ')}`)
  } catch (error) {
    return [`  services    cannot be read: ${messageOf(error)}`]
  }
}
