import { Command } from 'commander'
import { aligned } from '../aligned.ts'
import { type ClusterRecord, ClusterRecords } from './cluster-record.ts'
import { clustersHome, folderOf, keptClusters } from './clusters-home.ts'

/** `bowsprit list`: the clusters of this user on this machine. */
export function listCommand(): Command {
  return new Command('list').description('list your clusters on this machine').action(() => console.log(clustersText(clustersHome())))
}

/** A table of the clusters that run, and of those that are kept on disk. */
export function clustersText(home: string): string {
  const running = new ClusterRecords(home).list()
  const runningFolders = new Set(running.map(({ dataDir }) => dataDir))
  const stopped = keptClusters(home).filter((name) => !runningFolders.has(folderOf(name, home)))
  if (running.length === 0 && stopped.length === 0) return 'No clusters. Start one: bowsprit up'
  return aligned([
    ['NAME', 'STATE', 'NODES', 'ADDRESS', 'STORAGE'],
    ...running.map((record) => [record.name, 'running', String(record.nodes), record.address, storageOf(record)]),
    ...stopped.map((name) => [name, 'stopped', '', '', folderOf(name, home)]),
  ])
}

export const storageOf = ({ dataDir }: Pick<ClusterRecord, 'dataDir'>): string => dataDir ?? 'in memory'
