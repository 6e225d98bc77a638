import { styleText } from 'node:util'
import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { collectWhenIdle, keepHeapsLean } from '../base/lean-heap.ts'
import { messageOf } from '../base/message-of.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { MAX_NODES } from '../cluster/config.ts'
import { CNI_FOLDER } from '../cluster/nodes/cni-folder.ts'
import { announceCluster } from './announce-cluster.ts'
import { loggerOf, withLogOptions } from './log-options.ts'
import {
  existingFile,
  existingPath,
  newFolder,
  orWord,
  portNumber,
  several,
  trueOrFalse,
  unixSocket,
  url,
  wholeNumber,
  word,
  writableFile,
} from './option-values.ts'
import { reportFailure } from './report-failure.ts'
import { startFromFlags } from './start-from-flags.ts'
import { stopSignal } from './stop-signal.ts'
import type { UpFlags } from './up-options.ts'

/** A start that takes longer says so. */
const PATIENCE_MS = 1000
/** While parts are loaded, the first connection and response take twice as long. */
const PARTS_AFTER_MS = 25

/** `bowsprit up`: starts a cluster and runs it until a signal stops it. */
export function upCommand(): Command {
  const command = new Command('up')
    .description('start a cluster, and keep it until Ctrl-C')
    .option('-f, --file <file>', 'options of the cluster in a file (bowsprit.dev/v1 Cluster); flags come before it', existingFile)
    .option('--nodes <count>', 'how many simulated nodes (default: 1)', wholeNumber(0, MAX_NODES))
    .option(
      '--node-shapes <shapes>',
      'a file with nodes of other sizes, labels and taints, in addition to --nodes (nodeShapes: [{name, count, cpu, …}])',
      existingFile,
    )
    .option(
      '--runtime <address>',
      'one real node, this machine, with this container runtime: unix:///run/containerd/containerd.sock',
      unixSocket,
    )
    .option('--service-proxy [boolean]', 'a real node leads addresses of services to their endpoints (default: true)', trueOrFalse)
    .option('--cluster-dns [boolean]', 'a real node answers names of the cluster (default: true)', trueOrFalse)
    .option('--cni [folder]', `a real node writes a list of network plugins if there is none (default folder: ${CNI_FOLDER})`, newFolder)
    .option('--network-policies [boolean]', 'a real node drops what NetworkPolicies do not allow (default: true)', trueOrFalse)
    .option('--parts <list>', 'what runs, of server,controllers,scheduler,nodes (default: all; "server" is a bare API server)', word)
    .option(
      '--name <name>',
      'the name of the cluster: its folder, its kubeconfig context (bowsprit-NAME), and a free port (default: default)',
      word,
    )
    .option('--merge', 'add the context to your kubeconfig (~/.kube/config), and make it the current one')
    .option('--data-dir <folder>', 'where the cluster is kept (default: ~/.local/share/bowsprit/default)', newFolder)
    .option('--ephemeral', 'keep everything in memory')
    .option('--store <store>', "keep objects in an etcd, in kube-apiserver's layout: etcd=https://a:2379,https://b:2379", word)
    .option('--etcd-cafile <file>', 'the authority of that etcd', existingFile)
    .option('--etcd-certfile <file>', 'the client certificate for that etcd', existingFile)
    .option('--etcd-keyfile <file>', 'the key of that certificate', existingFile)
    .option('--etcd-prefix <prefix>', 'before every key in that etcd (default: /registry)', word)
    .option(
      '--from <file>',
      'start as the cluster that was saved into this file (in memory, unless --data-dir names a new folder)',
      existingFile,
    )
    .option(
      '--from-etcd-snapshot <file>',
      "look into a snapshot of another cluster's etcd (in memory; only the API server, unless --parts)",
      existingFile,
    )
    .option('--save-on-exit <file>', 'save the cluster into this file when it stops (the file contains secrets)', writableFile)
    .option('--port <port>', 'TCP port; 0 picks a free one (default: 6443)', portNumber)
    .option(
      '--address <address>',
      'where it listens; 0.0.0.0 is all addresses of this machine, so that others reach it (default: 127.0.0.1)',
      word,
    )
    .option('--certificate-names <list>', "more names and addresses in the API server's certificate: cluster.local,192.0.2.7", word)
    .option('--page-port <port>', 'the port of the page that shows the cluster, on 127.0.0.1 (default: a free one)', portNumber)
    .option('--page-read-only', 'nothing can be changed from the page')
    .option('--no-page', 'open no page')
    .option(
      '--kubeconfig <file>',
      'write the kubeconfig here when the cluster is ready (default: in the data folder, or a temporary one)',
      writableFile,
    )
    .option('--kubelet-ports', "each node's kubelet listens on a port of 127.0.0.1 of its own (default: only the API server reaches them)")
    .option(
      '--service-addresses [boolean]',
      'node ports are open on 127.0.0.1, load balancers get an address of this machine (default: true)',
      trueOrFalse,
    )
    .option('--service-cidr <range>', 'the addresses of services (default: 10.0.0.0/24)', word)
    .option(
      '--cluster-cidr <ranges>',
      'the address ranges of pods; each node without a range gets a block (default: each simulated node has its own range)',
      word,
    )
    .option('--scheduler-config <file>', 'a KubeSchedulerConfiguration', existingFile)
    .option('--scheduler-policy <file>', 'in its place, a scheduler Policy (v1) of predicates, priorities and extenders', existingFile)
    .option(
      '--kubelet-config <file>',
      'a KubeletConfiguration for all nodes: CPU, memory and topology manager policies, reserved resources',
      existingFile,
    )
    .option('--machine <file>', 'the machine of every node (bowsprit.dev/v1 Machine), or "host" for this one', orWord('host', existingFile))
    .option(
      '--static-pod-path <folder>',
      'manifests of static pods for every node (a subfolder with the name of a node: for that node only)',
      existingPath,
    )
    .option('--static-pod-url <url>', 'URL of a manifest, or of a list of pods: static pods for every node', url)
    .option('--gang-scheduling', 'serve PodGroups (scheduling.k8s.io/v1alpha2), and bind the pods of a gang only together')
    .option('--cluster-trust-bundles', 'serve ClusterTrustBundles (certificates.k8s.io/v1beta1), and let pods mount them')
    .option('--refuse-double-booking', 'refuse with a conflict a binding that does not fit on its node')
    .option('--object-limits <limits>', 'the largest number of objects of each collection: pods=300000,*=1000000', word)
    .option(
      '--quota-backend-bytes <bytes>',
      'how many bytes all objects may have together (default: 2 GiB)',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--encryption-provider-config <file>',
      'an EncryptionConfiguration: which resources are encrypted in the data folder, and how',
      existingFile,
    )
    .option('--encryption-provider-config-automatic-reload', 'follow changes of that file')
    .option('--audit-log <file>', 'append an audit event for each request to this file; "-" is standard output', orWord('-', writableFile))
    .option(
      '--audit-policy <file>',
      'which requests, and how much of them (audit.k8s.io/v1 Policy; default: metadata of every request)',
      existingFile,
    )
    .option('--leader-election', 'controllers and scheduler act only while they hold their lease')
    .option(
      '--device-plugin-dir [folder]',
      'where device plugins register (without a value: /var/lib/kubelet/device-plugins, which needs root and a single node; the default where that folder exists and no kubelet uses it)',
      newFolder,
    )
    .option('--devices <file>', 'simulated devices, described in a file (devices.yaml)', existingFile)
    .option('--images <file>', 'programs in TypeScript for containers: a module, or YAML with a module for each image', existingFile)
    .option(
      '--program <image=command>',
      'containers of this image are processes of this machine: controller:dev=./bin/manager (repeatable; see docs/process-runtime.md)',
      several(word),
      [],
    )
    .option(
      '--unknown-programs <what>',
      'what a simulated container does whose program is not known: succeed, run or fail (default: succeed)',
      word,
    )
    .option('--threads [boolean]', 'run controllers, scheduler and nodes in threads of their own (default: true)', trueOrFalse)
    .option('--trails [boolean]', 'record what happens to the last requests: kubectl get requesttrails (default: true)', trueOrFalse)
    .option('--until-stdin-ends', 'stop also when standard input ends, so that the cluster ends with the process that started it')
    .option('--no-storage-class', 'do not create the default storage class, whose volumes are simulated')
  return withLogOptions(command).action(up)
}

async function up(given: UpFlags, command: Command): Promise<void> {
  try {
    if (given.file !== undefined) (await import('./cluster-file/apply-cluster-file.ts')).applyClusterFile(command, given.file)
  } catch (error) {
    reportFailure('up', error)
    return
  }
  await run(command.opts<UpFlags>())
}

async function run(flags: UpFlags): Promise<void> {
  const { untilStdinEnds, saveOnExit, merge } = flags
  const stop = untilStdinEnds === true ? Promise.race([stopSignal(), stdinEnd()]) : stopSignal()
  const started = sayThatItStarts()
  let cluster: Cluster
  try {
    cluster = await startFromFlags(flags, { log: loggerOf(flags), partsAfterMs: PARTS_AFTER_MS, kubeconfigLater: true })
    started()
    const page = flags.page === false ? undefined : { port: flags.pagePort ?? 0, readOnly: flags.pageReadOnly === true }
    await announceCluster(cluster, { merged: merge === true, page })
  } catch (error) {
    fail(error)
  }
  const relax = [keepHeapsLean(systemClock), collectWhenIdle(systemClock, { serving: true })]
  const reason = await Promise.race([stop, cluster.failed])
  for (const end of relax) end()
  if (reason instanceof Error) process.exitCode = 1
  if (reason instanceof Error) console.error(styleText('red', `bowsprit: ${reason.message}`))
  if (saveOnExit !== undefined) await saveLast(cluster, saveOnExit)
  await cluster[Symbol.asyncDispose]()
  if (reason === 'SIGINT') console.log(styleText('dim', farewell(cluster.config.dataDir)))
  process.exit()
}

const farewell = (dataDir: string | undefined) =>
  dataDir === undefined ? '\nStopped.' : `\nStopped. The cluster is kept in ${dataDir}: the same command goes on with it.`

/** A large cluster takes seconds. Only on a terminal. */
function sayThatItStarts(): () => void {
  if (!process.stderr.isTTY) return () => {}
  return systemClock.after(PATIENCE_MS, () => console.error(styleText('dim', 'Starting …')))
}

async function saveLast(cluster: Cluster, file: string): Promise<void> {
  try {
    await cluster.save(file)
    console.log(`Saved in ${file}: bowsprit up --from ${file}`)
  } catch (error) {
    console.error(styleText('red', `bowsprit: ${messageOf(error)}`))
    process.exitCode = 1
  }
}

/** A pipe that breaks is closed without its end; a file, /dev/null among them, ends and is not closed. */
function stdinEnd(): Promise<string> {
  return new Promise((resolve) => {
    const ended = () => resolve('end of standard input')
    process.stdin.once('end', ended).once('close', ended).resume()
  })
}

/** Ends the process: threads and sockets of a cluster that has begun to start would keep it. */
function fail(error: unknown): never {
  reportFailure('up', error)
  const known = error instanceof Error && 'code' in error
  if (!known && error instanceof Error) console.error(error.stack)
  process.exit()
}
