import { Command } from 'commander'
import { KUBERNETES_VERSION, VERSION } from '../base/version.ts'

/** `bowsprit version` */
export function versionCommand(): Command {
  return new Command('version').description('print the version, and that of the Kubernetes API it speaks').action(() => {
    console.log(`bowsprit ${VERSION} (Kubernetes ${KUBERNETES_VERSION}, node ${process.version})`)
  })
}
