import { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import { word } from '../option-values.ts'
import { reporting } from '../report-failure.ts'
import { ClusterRecords } from './cluster-record.ts'
import { clustersHome, DEFAULT_NAME, folderOf } from './clusters-home.ts'
import { stopCluster } from './stop-cluster.ts'

/** `bowsprit stop`: as Ctrl-C where the cluster was started. */
export function stopCommand(): Command {
  return new Command('stop')
    .description('stop a cluster; "bowsprit up" continues with its folder')
    .argument('[name]', 'the name of the cluster', word, DEFAULT_NAME)
    .action((name: string) =>
      reporting('stop', async () => {
        const home = clustersHome()
        folderOf(name, home)
        const record = new ClusterRecords(home).find(name)
        if (record === undefined) throw new Error(`no cluster ${name} is running (bowsprit list)`)
        await stopCluster(record, systemClock)
        console.log(`${name} is stopped.`)
      }),
    )
}
