import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/message-of.ts'
import { systemRandom } from '../base/random.ts'
import { electedPart } from '../cluster/leader-part.ts'
import { createControllers } from '../controllers/all/controller-set.ts'
import { readNodeRanges } from '../controllers/node-ipam/ranges.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { FLEX_VOLUME_FOLDER } from '../sdk/flex-volume/flex-drivers.ts'
import { kubeconfigOf } from './kubeconfig-file.ts'
import { type LogFlags, loggerOf, withLogOptions } from './log-options.ts'
import { existingFile, newFolder, wholeNumber, word } from './option-values.ts'
import { reporting, UsageError } from './report-failure.ts'
import { stopSignal } from './stop-signal.ts'

interface ControllersFlags extends LogFlags {
  readonly kubeconfig: string
  readonly leaderElect?: boolean
  readonly clusterCidr?: string
  readonly flexVolumePluginDir?: string
  readonly serviceClusterIpRange?: string
  readonly nodeCidrMaskSizeIpv4?: number
  readonly nodeCidrMaskSizeIpv6?: number
}

/** kube-controller-manager's lease, so that one of both runs, and its field manager. */
const PROGRAM = 'kube-controller-manager'

/** `bowsprit controllers`: the controllers as a separate process, for `bowsprit apiserver` or any other API server. */
export function controllersCommand(): Command {
  const command = new Command('controllers')
    .description('run only the controllers, for any cluster, until Ctrl-C')
    .requiredOption('--kubeconfig <file>', 'the cluster, with a user who has all permissions', existingFile)
    .option('--leader-elect', 'run controllers only while holding the lease kube-system/kube-controller-manager')
    .option(
      '--cluster-cidr <ranges>',
      'the address ranges of pods; each node without a range gets a part of them (default: nodes get none)',
      word,
    )
    .option('--node-cidr-mask-size-ipv4 <bits>', 'the prefix length of the IPv4 range of a node (default: 24)', wholeNumber(1, 32))
    .option('--node-cidr-mask-size-ipv6 <bits>', 'the prefix length of the IPv6 range of a node (default: 64)', wholeNumber(1, 128))
    .option('--service-cluster-ip-range <ranges>', 'the address ranges of services, which nodes must not get', word)
    .option(
      '--flex-volume-plugin-dir <folder>',
      `the folder of the FlexVolume drivers that attach volumes (default: ${FLEX_VOLUME_FOLDER})`,
      newFolder,
    )
  return withLogOptions(command).action(control)
}

const control = (flags: ControllersFlags): Promise<void> =>
  reporting('controllers', async () => {
    const nodeRanges = nodeRangesOf(flags)
    const config = { ...(await kubeconfigOf(flags)), userAgent: PROGRAM }
    const stop = new AbortController()
    void stopSignal().then(() => stop.abort())
    const log = loggerOf(flags)
    await using transport = httpsTransport(config)
    const opened = new Map<string, ReturnType<typeof httpsTransport>>()
    const clientOf = (name: string) => {
      const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated']
      const one = httpsTransport({ ...config, impersonate: { user: `system:serviceaccount:kube-system:${name}`, groups } })
      opened.set(name, one)
      return createClient(one)
    }
    const deps = { client: createClient(transport), clientOf, clock: systemClock, random: systemRandom(), log }
    const lead = (signal: AbortSignal) =>
      createControllers({ ca: config.ca ?? '', nodeRanges, flexVolumeFolder: flags.flexVolumePluginDir }, deps).run(signal)
    await electedPart(PROGRAM, { leaderElection: flags.leaderElect === true }, deps, lead)(stop.signal)
    for (const one of opened.values()) await one[Symbol.asyncDispose]()
  })

function nodeRangesOf(flags: ControllersFlags) {
  const { clusterCidr, serviceClusterIpRange: serviceCidr, nodeCidrMaskSizeIpv4: maskSizeIpv4, nodeCidrMaskSizeIpv6: maskSizeIpv6 } = flags
  if (clusterCidr === undefined) return undefined
  try {
    return readNodeRanges({ clusterCidr, serviceCidr, maskSizeIpv4, maskSizeIpv6 })
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error })
  }
}
