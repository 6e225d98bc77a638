import os from 'node:os'
import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { collectWhenIdle, keepHeapsLean, keepYoungSpaceSmall } from '../base/lean-heap.ts'
import { systemRandom } from '../base/random.ts'
import { CNI_FOLDER } from '../cluster/nodes/cni-folder.ts'
import { openNodeCredentials } from '../cluster/nodes/node-credentials.ts'
import { CERTIFICATES_FOLDER, readKubeletFile, runRealNode } from '../cluster/nodes/run-real-node.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { type HttpsTransport, httpsTransport } from '../sdk/client/https.ts'
import { loadKubeconfigFile } from '../sdk/client/kubeconfig.ts'
import { nodeLinkCommands } from './node-link.ts'
import { addNodeCommand, removeNodeCommand } from './node-members.ts'
import { withNodeNetworkOptions } from './node-network-options.ts'
import { existingFile, existingPath, newFolder, unixSocket, word, writableFile } from './option-values.ts'
import { readOptionFile } from './read-option-file.ts'
import { reportFailure } from './report-failure.ts'
import { stderrLogger } from './stderr-logger.ts'
import { stopSignal } from './stop-signal.ts'

interface NodeFlags {
  readonly kubeconfig: string
  readonly bootstrapKubeconfig?: string
  readonly certDir: string
  readonly runtime: string
  readonly name?: string
  readonly nodeIp?: string
  readonly config?: string
  readonly imageCredentialProviderConfig?: string
  readonly imageCredentialProviderBinDir?: string
  readonly networkKubeconfig?: string
  readonly serviceProxy?: boolean
  readonly clusterDns?: boolean
  readonly networkPolicies?: boolean
  readonly cni?: string | true
  readonly clusterCidr?: string
  readonly verbose?: boolean
}

/** `bowsprit node`: commands about single nodes; without the name of one it is `run`. */
export function nodeCommand(): Command {
  const command = new Command('node')
    .description('make this machine a node of a cluster, or change the simulated nodes of a running one')
    .addCommand(runCommand(), { isDefault: true })
    .addCommand(addNodeCommand())
    .addCommand(removeNodeCommand())
  for (const link of nodeLinkCommands()) command.addCommand(link)
  return command
}

/** `bowsprit node run`: this machine as a node of any cluster, with real containers, instead of a kubelet. */
function runCommand(): Command {
  const command = new Command('run')
    .description('make this machine a node of a cluster, with a container runtime, until Ctrl-C; containers continue to run')
    .requiredOption('--kubeconfig <file>', 'the cluster, with the user of a node (system:node:NAME)', writableFile)
    .option(
      '--bootstrap-kubeconfig <file>',
      'a user who may request the certificate of a node (a bootstrap token): writes --kubeconfig if it is missing or its certificate has expired',
      existingFile,
    )
    .option('--cert-dir <folder>', 'the folder of the certificates that the cluster signs', newFolder, CERTIFICATES_FOLDER)
    .requiredOption('--runtime <address>', 'the container runtime: unix:///run/containerd/containerd.sock', unixSocket)
    .option('--name <name>', 'the name of the node (default: the host name)', word)
    .option('--node-ip <addresses>', 'its addresses, at most one IPv4 and one IPv6 address (default: those of the machine)', word)
    .option('--config <file>', 'a KubeletConfiguration', existingFile)
    .option(
      '--image-credential-provider-config <path>',
      'a CredentialProviderConfig, or a folder of them: programs that provide logins for image registries',
      existingPath,
    )
    .option('--image-credential-provider-bin-dir <folder>', 'the folder of those programs', existingPath)
  return withNodeNetworkOptions(command, 'serve DNS for names of the cluster, at clusterDNS of --config')
    .option('--cluster-cidr <ranges>', 'the address ranges of all pods (default: spec.podCIDRs of the Node)', word)
    .option(
      '--network-kubeconfig <file>',
      'a user who may read services, endpoint slices, namespaces, NetworkPolicies and pods (default: that of --kubeconfig)',
      existingFile,
    )
    .option('-v, --verbose', 'log everything to standard error, not only errors')
    .action(runNode)
}

async function runNode(flags: NodeFlags): Promise<void> {
  const relax = [keepHeapsLean(systemClock), keepYoungSpaceSmall(systemClock), collectWhenIdle(systemClock)]
  try {
    await using networkTransport = await networkTransportOf(flags)
    if (flags.bootstrapKubeconfig !== undefined)
      await readOptionFile('--bootstrap-kubeconfig', flags.bootstrapKubeconfig, (file) => loadKubeconfigFile(file))
    const stop = new AbortController()
    void stopSignal().then(() => stop.abort())
    const log = stderrLogger(flags.verbose === true ? 'debug' : 'warn')
    const { name = os.hostname().toLowerCase(), runtime: runtimeEndpoint, config: kubeletConfig, nodeIp, certDir } = flags
    const { rotates } = readKubeletFile(kubeletConfig).kubelet.certificates
    const own = { nodeName: name, kubeconfig: flags.kubeconfig, bootstrapKubeconfig: flags.bootstrapKubeconfig, certDir, rotates }
    const machine = { clock: systemClock, random: systemRandom(), log }
    await using reached = await readOptionFile('--kubeconfig', flags.kubeconfig, () => openNodeCredentials(own, machine, stop.signal))
    const ips = nodeIp?.split(',').map((ip) => ip.trim())
    const client = createClient(reached.transport)
    const networkClient = networkTransport === undefined ? client : createClient(networkTransport)
    const deps = { client, networkClient, apiHost: reached.host, certificate: reached.metrics, ...machine }
    const network = {
      serviceProxy: flags.serviceProxy ?? true,
      dns: flags.clusterDns ?? true,
      policies: flags.networkPolicies ?? true,
      cniFolder: flags.cni === true ? CNI_FOLDER : flags.cni,
      clusterCidrs: flags.clusterCidr?.split(',') ?? [],
    }
    const credentials = { config: flags.imageCredentialProviderConfig, binDir: flags.imageCredentialProviderBinDir }
    const node = { name, runtimeEndpoint, kubeletConfig, network, credentials, certDir, clientCa: reached.ca, ...(ips && { ips }) }
    const running = runRealNode(node, deps, stop.signal)
    await Promise.all([running.finally(() => stop.abort()), reached.run(stop.signal)])
  } catch (error) {
    reportFailure('node', error)
  } finally {
    for (const stop of relax) stop()
  }
}

/** Undefined: the node's own. */
async function networkTransportOf({ networkKubeconfig }: NodeFlags): Promise<HttpsTransport | undefined> {
  if (networkKubeconfig === undefined) return undefined
  return httpsTransport(await readOptionFile('--network-kubeconfig', networkKubeconfig, (file) => loadKubeconfigFile(file)))
}
