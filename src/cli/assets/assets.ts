import { Command } from 'commander'
import { IN_CHECKOUT } from '../in-checkout.ts'
import { warmUp } from './warm-up.ts'
import { AssetsError, writeAssets } from './write-assets.ts'

/** `bowsprit assets`: the programs that envtest and its like start. */
export function assetsCommand(): Command {
  return new Command('assets')
    .description('lay down etcd, kube-apiserver and kubectl as envtest starts them (KUBEBUILDER_ASSETS)')
    .argument('<folder>', 'where to; it may be moved, cached and copied afterwards')
    .option('--kubectl <file>', 'the kubectl to use (default: the one on the PATH)')
    .action(async (folder: string, { kubectl }: { kubectl?: string }) => {
      try {
        const full = writeAssets({ folder, kubectl })
        if (!IN_CHECKOUT) await warmUp(full)
        console.log(full)
      } catch (error) {
        if (!(error instanceof AssetsError)) throw error
        console.error(`bowsprit: ${error.message}`)
        process.exitCode = 1
      }
    })
}
