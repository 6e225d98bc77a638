import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { styleText } from 'node:util'
import { Command, InvalidArgumentError } from 'commander'
import { systemClock } from '../base/clock.ts'
import { keepHeapLean } from '../base/lean-heap.ts'
import { messageOf } from '../base/message-of.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type ClusterOptions, ConfigError } from '../cluster/config.ts'
import { contextOf, writeKubeconfig } from '../cluster/kubeconfig.ts'
import { startCluster } from '../cluster/start-cluster.ts'
import { NODES } from '../resources/refs.ts'
import { ClusterRecords } from './clusters/cluster-record.ts'
import { clustersHome } from './clusters/clusters-home.ts'
import { mergeKubeconfig, removeFromKubeconfig, usersKubeconfig } from './clusters/merge-kubeconfig.ts'
import { greeting } from './greeting.ts'
import { loggerOf, withLogOptions } from './log-options.ts'
import { stopSignal } from './stop-signal.ts'
import { type UpFlags, upOptions } from './up-options.ts'

/** While parts are loaded, the first connection and response take twice as long. */
const PARTS_AFTER_MS = 25
/** So long `up` waits for its nodes before it says that the cluster is up. */
const MAX_NODES_MS = 10_000
const LOOK_MS = 10
const AWAITED_NODES = 100

/** `bowsprit up`: starts a cluster and runs it until a signal stops it. */
export function upCommand(): Command {
  const command = new Command('up')
    .description('start a cluster, and keep it until Ctrl-C')
    .option('--nodes <count>', 'how many simulated nodes (default: 1)', wholeNumber)
    .option('--runtime <address>', 'one real node, this machine, with this container runtime: unix:///run/containerd/containerd.sock')
    .option('--parts <list>', 'what runs, of server,controllers,scheduler,nodes (default: all; "server" is a bare API server)')
    .option(
      '--name <name>',
      'the name of the cluster: its folder, its kubeconfig context (bowsprit-NAME), and a free port (default: default)',
    )
    .option('--merge', 'add the context to your kubeconfig (~/.kube/config), and make it the current one')
    .option('--data-dir <folder>', 'where the cluster is kept (default: ~/.local/share/bowsprit/default)')
    .option('--ephemeral', 'keep everything in memory')
    .option('--from <file>', 'begin as the cluster that was saved into this file (in memory, unless --data-dir names a new folder)')
    .option('--save-on-exit <file>', 'save the cluster into this file when it is told to stop (it holds secrets)')
    .option('--port <port>', 'TCP port on 127.0.0.1; 0 picks a free one (default: 6443)', wholeNumber)
    .option('--kubeconfig <file>', 'write the kubeconfig here when the cluster is ready (default: in the data folder, or a temporary one)')
    .option('--kubelet-ports', "each node's kubelet listens on a port of 127.0.0.1 of its own (default: only the API server reaches them)")
    .option('--service-cidr <range>', 'the addresses of services (default: 10.0.0.0/24)')
    .option(
      '--cluster-cidr <ranges>',
      'the addresses of pods, of which each node without any gets a block (default: simulated nodes say their own)',
    )
    .option('--scheduler-config <file>', 'a KubeSchedulerConfiguration')
    .option('--scheduler-policy <file>', 'in its place, a scheduler Policy (v1) of predicates, priorities and extenders')
    .option(
      '--kubelet-config <file>',
      'a KubeletConfiguration for all nodes: policies of CPU, memory and topology manager, what is reserved',
    )
    .option('--machine <file>', 'the machine of every node (bowsprit.dev/v1 Machine), or "host" for this one')
    .option(
      '--static-pod-path <folder>',
      'manifests of pods that every node runs by itself (a folder in it, named like a node: that one alone)',
    )
    .option('--static-pod-url <url>', 'a manifest, or a list of pods, that every node runs by itself')
    .option('--refuse-double-booking', 'answer a binding for which its node has no room with a conflict')
    .option('--object-limits <limits>', 'the most objects that are kept of a collection: pods=300000,*=1000000')
    .option('--audit-log <file>', 'append an audit event for each request to this file; "-" is standard output')
    .option('--audit-policy <file>', 'which requests, and how much of them (audit.k8s.io/v1 Policy; default: metadata of every request)')
    .option('--leader-election', 'controllers and scheduler act only while they hold their lease')
    .option(
      '--device-plugin-dir [folder]',
      "where device plugins find the nodes (without a folder: the kubelet's own, for root and one node; taken by itself where it stands and no kubelet uses it)",
    )
    .option('--devices <file>', 'devices that are described in place of being there (devices.yaml)')
    .option('--images <file>', 'programs in TypeScript for containers: a module, or YAML with a module for each image')
    .option('--threads [boolean]', 'run controllers, scheduler and nodes in threads of their own (default: true)', trueOrFalse)
    .option('--until-stdin-ends', 'stop, too, when standard input ends: so does whoever started it, however that comes about')
    .option('--no-storage-class', 'do not make the default storage class, whose volumes are simulated')
  return withLogOptions(command).action(up)
}

async function up(flags: UpFlags): Promise<void> {
  const { untilStdinEnds, saveOnExit } = flags
  const stop = untilStdinEnds === true ? Promise.race([stopSignal(), stdinEnd()]) : stopSignal()
  let cluster: Cluster
  try {
    const options = withKubeconfig(await upOptions(flags))
    cluster = await startCluster(options, { log: loggerOf(flags), partsAfterMs: PARTS_AFTER_MS, kubeconfigLater: true })
    await nodesRegistered(cluster)
    announce(cluster, flags)
  } catch (error) {
    fail(error)
    return
  }
  const relax = keepHeapLean(systemClock)
  const reason = await Promise.race([stop, cluster.failed])
  relax()
  if (reason instanceof Error) process.exitCode = 1
  if (reason instanceof Error) console.error(styleText('red', `bowsprit: ${reason.message}`))
  if (saveOnExit !== undefined) await saveLast(cluster, saveOnExit)
  await cluster[Symbol.asyncDispose]()
  process.exit()
}

/** A cluster in memory has its kubeconfig in a folder that is removed with it. */
function withKubeconfig(options: ClusterOptions): ClusterOptions {
  const { kubeconfig, ephemeral, from, dataDir } = options
  const isKept = dataDir !== undefined || (ephemeral !== true && from === undefined)
  if (kubeconfig !== undefined || isKept) return options
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return { ...options, kubeconfig: path.join(folder, 'kubeconfig') }
}

/** Resolves when the nodes have registered (of many, the first); or after a while without them: their part may have failed. */
async function nodesRegistered(cluster: Cluster): Promise<void> {
  const client = cluster.client()
  const until = systemClock.now() + MAX_NODES_MS
  for (const name of cluster.nodeNames.slice(0, AWAITED_NODES)) {
    const isThere = () => client.get({ ...NODES, name }).then(Boolean, () => false)
    while (!(await isThere()) && systemClock.now() < until) await systemClock.sleep(LOOK_MS)
  }
}

/** Prints where the cluster is, and lets other commands find it. */
function announce(cluster: Cluster, { name, merge }: UpFlags): void {
  const { kubeconfig, dataDir } = cluster.config
  // Programs wait for this file, and look for nodes at once.
  if (kubeconfig !== undefined) writeKubeconfig(kubeconfig, cluster.kubeconfig())
  if (merge === true) mergeContext(cluster)
  // From the start of the process: what the user has waited.
  console.log(greeting(cluster, { tookMs: performance.now(), merged: merge === true }))
  try {
    new ClusterRecords(clustersHome()).add({
      name: name ?? (dataDir === undefined ? `in-memory-${process.pid}` : path.basename(dataDir)),
      address: cluster.address,
      nodes: cluster.nodeNames.length,
      kubeconfig: kubeconfig ?? '',
      ...(dataDir !== undefined && { dataDir }),
      since: `${new Date(systemClock.now()).toISOString().slice(0, 19)}Z`,
    })
  } catch {
    // A home folder that cannot be written: the cluster runs, `bowsprit list` does not know it.
  }
}

/** Into the user's kubeconfig; the context of a cluster in memory is removed with it. */
function mergeContext(cluster: Cluster): void {
  const { dataDir, name } = cluster.config
  const file = usersKubeconfig()
  mergeKubeconfig(file, cluster.kubeconfig())
  if (dataDir === undefined) process.once('exit', () => removeFromKubeconfig(file, contextOf(name)))
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

function stdinEnd(): Promise<string> {
  return new Promise((resolve) => process.stdin.once('close', () => resolve('end of standard input')).resume())
}

function fail(error: unknown): void {
  const known = error instanceof ConfigError || (error instanceof Error && 'code' in error)
  const message = messageOf(error)
  console.error(styleText('red', `bowsprit: ${known ? message : `could not start: ${message}`}`))
  if (!known && error instanceof Error) console.error(error.stack)
  process.exit(error instanceof ConfigError ? 2 : 1)
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('give true or false')
  return text === 'true'
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('give a whole number')
  return Number(text)
}
