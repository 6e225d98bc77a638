import { Command } from 'commander'
import { AssetsError, layDownAssets } from './lay-down.ts'

/** `bowsprit assets`: the programs that envtest and its like start. */
export function assetsCommand(): Command {
  return new Command('assets')
    .description('lay down etcd, kube-apiserver and kubectl as envtest starts them (KUBEBUILDER_ASSETS)')
    .argument('<folder>', 'where to; it may be moved, cached and copied afterwards')
    .option('--kubectl <file>', 'the kubectl to use (default: the one on the PATH)')
    .action((folder: string, { kubectl }: { kubectl?: string }) => {
      try {
        console.log(layDownAssets({ folder, kubectl }))
      } catch (error) {
        if (!(error instanceof AssetsError)) throw error
        console.error(`bowsprit: ${error.message}`)
        process.exitCode = 1
      }
    })
}
