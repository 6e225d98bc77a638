import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../base/clock.ts'
import type { Cluster, ClusterPageOptions } from '../cluster/cluster.ts'
import { portErrorOf } from '../cluster/config.ts'
import { contextOf, writeKubeconfig } from '../cluster/kubeconfig.ts'
import { NODES } from '../resources/refs.ts'
import { ClusterRecords } from './clusters/cluster-record.ts'
import { clustersHome, DEFAULT_NAME, folderOf } from './clusters/clusters-home.ts'
import { mergeKubeconfig, removeFromKubeconfig, usersKubeconfig } from './clusters/merge-kubeconfig.ts'
import { greeting } from './greeting.ts'
import { OWN_COMMAND } from './in-checkout.ts'

/** So long `up` waits for its nodes before it says that the cluster is up. */
const MAX_NODES_MS = 10_000
const LOOK_MS = 10
const AWAITED_NODES = 100

interface Announced {
  /** The user's own kubeconfig gets the cluster's context. */
  readonly merged: boolean
  /** Undefined: there is none. A port of 0: a free one. */
  readonly page: ClusterPageOptions | undefined
}

/** Waits for the nodes, then writes the kubeconfig, prints where the cluster is, and lets other commands find it. */
export async function announceCluster(cluster: Cluster, { merged, page: asked }: Announced): Promise<void> {
  await nodesRegistered(cluster)
  const page = asked === undefined ? undefined : await openPage(cluster, asked)
  // Programs wait for this file, and look for nodes at once.
  const kubeconfig = cluster.config.kubeconfig ?? temporaryKubeconfig()
  writeKubeconfig(kubeconfig, cluster.kubeconfig())
  if (merged) mergeContext(cluster)
  // From the start of the process: what the user has waited.
  console.log(
    greeting(cluster, { tookMs: performance.now(), command: OWN_COMMAND, kubeconfig, merged, ...(page !== undefined && { page }) }),
  )
  record(cluster, kubeconfig)
}

async function openPage(cluster: Cluster, options: ClusterPageOptions): Promise<string> {
  try {
    return await cluster.page(options)
  } catch (error) {
    throw portErrorOf(error, { host: '127.0.0.1', port: options.port ?? 0, option: '--page-port' })
  }
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

/** In a folder that is removed with the process. */
function temporaryKubeconfig(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'kubeconfig')
}

/** Into the user's kubeconfig; the context of a cluster in memory is removed with it. */
function mergeContext(cluster: Cluster): void {
  const { dataDir, name } = cluster.config
  const file = usersKubeconfig()
  mergeKubeconfig(file, cluster.kubeconfig())
  if (dataDir === undefined) process.once('exit', () => removeFromKubeconfig(file, contextOf(name)))
}

function record(cluster: Cluster, kubeconfig: string): void {
  const { dataDir, serviceAddresses, runtime } = cluster.config
  try {
    new ClusterRecords(clustersHome()).add({
      name: nameOf(cluster),
      address: cluster.address,
      nodes: cluster.nodeNames.length,
      kubeconfig,
      ...(dataDir !== undefined && { dataDir }),
      serviceAddresses: serviceAddresses && runtime === undefined,
      since: `${new Date(systemClock.now()).toISOString().slice(0, 19)}Z`,
    })
  } catch {
    // A home folder that cannot be written: the cluster runs, `bowsprit list` does not know it.
  }
}

/** A cluster without a name gets one that no cluster in the home folder has: `bowsprit delete` must not take the one for the other. */
function nameOf({ config: { name, dataDir } }: Cluster): string {
  if (name !== undefined) return name
  if (dataDir === undefined) return `in-memory-${process.pid}`
  return dataDir === path.resolve(folderOf(DEFAULT_NAME)) ? DEFAULT_NAME : `folder-${process.pid}`
}
