import { Command } from 'commander'
import { word } from '../option-values.ts'
import { reportFailure } from '../report-failure.ts'
import { type ClusterRecord, ClusterRecords } from './cluster-record.ts'
import { clustersHome, DEFAULT_NAME, folderOf, isCluster } from './clusters-home.ts'
import { storageOf } from './list.ts'

/** `bowsprit status`: exit code 0 when the cluster runs, 3 when it does not, as `systemctl status`. */
export function statusCommand(): Command {
  return new Command('status')
    .description('print whether a cluster runs, and where (exit code 3: it does not run)')
    .argument('[name]', 'the name of the cluster', word, DEFAULT_NAME)
    .action((name: string) => {
      try {
        const { text, running } = statusOf(name, clustersHome())
        console.log(text)
        if (!running) process.exitCode = 3
      } catch (error) {
        reportFailure('status', error)
      }
    })
}

/** @throws {ConfigError} for a name that no cluster can have */
export function statusOf(name: string, home: string): { readonly text: string; readonly running: boolean } {
  const folder = folderOf(name, home)
  const record = new ClusterRecords(home).find(name)
  if (record !== undefined) return { text: runningText(record), running: true }
  return { text: isCluster(folder) ? `${name} is stopped; it is kept in ${folder}` : `there is no cluster ${name}`, running: false }
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
