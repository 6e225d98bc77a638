import { rmSync } from 'node:fs'
import { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import { contextOf } from '../../cluster/kubeconfig.ts'
import { word } from '../option-values.ts'
import { reporting } from '../report-failure.ts'
import { ClusterRecords } from './cluster-record.ts'
import { clustersHome, DEFAULT_NAME, folderOf, isCluster } from './clusters-home.ts'
import { removeFromKubeconfig, usersKubeconfig } from './merge-kubeconfig.ts'
import { stopCluster } from './stop-cluster.ts'

/** `bowsprit delete`: stops the cluster, and removes its folder and what `--merge` has added to the user's kubeconfig. */
export function deleteCommand(): Command {
  return new Command('delete')
    .description('stop a cluster, and delete its folder and its context in your kubeconfig')
    .argument('[name]', 'the name of the cluster', word, DEFAULT_NAME)
    .action((name: string) =>
      reporting('delete', async () => {
        await deleteCluster(name, clustersHome())
        console.log(`${name} is deleted.`)
      }),
    )
}

async function deleteCluster(name: string, home: string): Promise<void> {
  const folder = folderOf(name, home)
  const record = new ClusterRecords(home).find(name)
  if (record === undefined && !isCluster(folder)) throw new Error(`there is no cluster ${name} (bowsprit list)`)
  if (record !== undefined) await stopCluster(record, systemClock)
  // Only a folder that was made for this name: one that --data-dir named may hold other things.
  if (isCluster(folder)) rmSync(folder, { recursive: true })
  removeFromKubeconfig(usersKubeconfig(), contextOf(name))
}
