import { styleText } from 'node:util'
import { Command } from 'commander'
import { IN_CHECKOUT } from '../in-checkout.ts'
import { existingFile, newFolder } from '../option-values.ts'
import { reportFailure } from '../report-failure.ts'
import { warmUp } from './warm-up.ts'
import { AssetsError, writeAssets } from './write-assets.ts'

/** `bowsprit assets`: the programs that envtest and its like start. */
export function assetsCommand(): Command {
  return new Command('assets')
    .description('write etcd, kube-apiserver and kubectl for envtest into a folder (KUBEBUILDER_ASSETS)')
    .argument('<folder>', 'the folder; it can be moved, copied and cached afterwards', newFolder)
    .option('--kubectl <file>', 'the kubectl to copy (default: the one on the PATH)', existingFile)
    .action(async (folder: string, { kubectl }: { kubectl?: string }) => {
      try {
        const full = writeAssets({ folder, kubectl })
        if (!IN_CHECKOUT) await warmUp(full)
        console.log(full)
        // Standard output is the folder alone: KUBEBUILDER_ASSETS=$(bowsprit assets FOLDER).
        if (process.stdout.isTTY) console.error(styleText('dim', `export KUBEBUILDER_ASSETS=${full}`))
      } catch (error) {
        if (!(error instanceof AssetsError)) throw error
        reportFailure('assets', error, 1)
      }
    })
}
