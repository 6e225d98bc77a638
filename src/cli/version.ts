import { Command } from 'commander'
import { versionText } from './version-text.ts'

/** `bowsprit version` */
export function versionCommand(): Command {
  return new Command('version')
    .description('print the versions of bowsprit and of the Kubernetes API that it serves')
    .action(() => console.log(versionText()))
}
