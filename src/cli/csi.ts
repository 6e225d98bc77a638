import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { createCsiControllers } from '../controllers/all/controller-set.ts'
import { openDriverClient } from '../controllers/csi/driver-client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { connectUnix } from '../sdk/grpc/connect-unix.ts'
import { kubeconfigOf } from './kubeconfig-file.ts'
import { type LogFlags, loggerOf, withLogOptions } from './log-options.ts'
import { existingFile, word } from './option-values.ts'
import { reporting } from './report-failure.ts'
import { stopSignal } from './stop-signal.ts'

interface CsiFlags extends LogFlags {
  readonly kubeconfig: string
  readonly csiAddress: string
}

/** `bowsprit csi`: what external-provisioner, external-attacher and external-resizer do beside a CSI driver. */
export function csiCommand(): Command {
  const command = new Command('csi')
    .description('create, attach and resize volumes for a CSI driver, in place of its sidecar containers, in any cluster, until Ctrl-C')
    .requiredOption(
      '--kubeconfig <file>',
      'the cluster, with a user who may write volumes, and read claims, classes and nodes',
      existingFile,
    )
    .requiredOption('--csi-address <socket>', "the path of the driver's socket", word)
  return withLogOptions(command).action(serveDriver)
}

const serveDriver = (flags: CsiFlags): Promise<void> =>
  reporting('csi', async () => {
    const stop = new AbortController()
    void stopSignal().then(() => stop.abort())
    await using transport = httpsTransport(await kubeconfigOf(flags))
    using connection = await connectUnix(flags.csiAddress, { clock: systemClock })
    const driver = await openDriverClient(connection, systemClock.now(), stop.signal)
    const deps = { client: createClient(transport), clock: systemClock, random: systemRandom(), log: loggerOf(flags) }
    await createCsiControllers(driver, deps).run(stop.signal)
  })
