import { keepAlive } from '../base/clock.ts'
import { HeldResources } from '../base/collections/held-resources.ts'
import { onAbort } from '../base/on-abort.ts'
import { quiet } from '../base/quiet.ts'
import { noReports } from '../server/reports/part-reports.ts'
import { followAddresses } from './addresses/follow-addresses.ts'
import type { Cluster, InnerClusterDeps } from './cluster.ts'
import { createClusterAccess } from './cluster-access.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { type ClusterPort, createClusterPort } from './cluster-port.ts'
import { createNodeSide } from './create-node-side.ts'
import { startInFolder } from './data-folder.ts'
import { openClusterServer } from './open-cluster-server.ts'
import { openFoundation } from './open-foundation.ts'
import { type ClusterSetup, readSetup } from './read-setup.ts'
import { runningCluster } from './running-cluster.ts'
import type { ServerEndpoint, ServerPart } from './server/server-part.ts'
import { openServerForPods } from './server-for-pods.ts'
import { startParts } from './start-parts.ts'
import { Supervisor } from './supervisor.ts'
import { SERVICE_ADDRESSES, SIMULATED_METRICS } from './users.ts'

/** Starts a cluster; resolves when it serves. Each phase takes the results of the phases before it. */
export async function startCluster(options: ClusterOptions = {}, deps: InnerClusterDeps = {}): Promise<Cluster> {
  if (options.from !== undefined) return (await import('./snapshot/start-from.ts')).startFrom(options.from, options, deps, startCluster)
  if (options.fromEtcdSnapshot !== undefined) {
    const { startFromEtcdSnapshot } = await import('./snapshot/start-from-objects.ts')
    return startFromEtcdSnapshot(options.fromEtcdSnapshot, options, deps, startCluster)
  }
  const setup = await readSetup(options, deps)
  return startInFolder(setup.config.dataDir, () => openCluster(setup))
}

async function openCluster(setup: ClusterSetup): Promise<Cluster> {
  const { deps } = setup
  await using held = new HeldResources()
  held.defer(keepAlive())
  const foundation = await openFoundation(setup)
  const { access, connect } = createClusterAccess()
  const reports = noReports()
  const nodeSide = await createNodeSide(setup, foundation, access)
  const serverPart = held.use(await openClusterServer(setup, foundation, nodeSide, reports))
  held.use(nodeSide)
  connect(serverPart.server)

  const stop = new AbortController()
  const supervisor = createSupervisor(setup, serverPart, stop.signal)
  held.defer(() => supervisor.ended())
  held.defer(() => stop.abort())
  const port = createClusterPort(setup.config, {
    server: serverPart.server,
    certificates: foundation.certificates,
    kubeconfigLater: deps.kubeconfigLater ?? false,
  })
  if (deps.quiet !== true) await port.listen()
  const forPods = held.use(await openServerForPods(setup, foundation, { part: serverPart, port: () => portNumber(port.address) }))
  const kubernetesService = await keepKubernetesService(forPods, { serverPart, port }, stop.signal)
  held.defer(() => kubernetesService.ended)
  held.defer(() => stop.abort())
  if (setup.simulates) await nodeSide.metrics.start({ ...serverPart, client: access.client(SIMULATED_METRICS) })
  if (setup.config.serviceAddresses && setup.simulates) {
    const { inside } = nodeSide.reach
    held.use(
      followAddresses({ ...setup, serverPart, inside, client: access.client(SERVICE_ADDRESSES), serverPort: portNumber(port.address) }),
    )
  }
  const parts = { setup, foundation, access, nodeSide, serverPart, supervisor, reports }
  startParts(parts, stop.signal)
  return runningCluster({ ...parts, port, held: held.move(), start: startCluster })
}

function createSupervisor({ clock, log, deps }: ClusterSetup, serverPart: ServerPart, signal: AbortSignal): Supervisor {
  const { failed } = serverPart.watchCache
  const supervisor = new Supervisor({ clock, log, signal, ...(deps.partDied && { died: deps.partDied }) })
  onAbort(failed, () => supervisor.fail('store', failed.reason))
  return supervisor
}

/** Undefined: the port is not open yet. */
const portNumber = (address: string): number | undefined => (address === '' ? undefined : Number(new URL(address).port))

/** Writes the service `kubernetes` and its endpoints; `ended` resolves when they are no longer kept up to date. */
async function keepKubernetesService(
  endpoint: ServerEndpoint,
  { serverPart, port }: { readonly serverPart: ServerPart; readonly port: ClusterPort },
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> }> {
  const service = serverPart.upkeep(endpoint)
  await service.sync()
  if (port.address === '') void quiet(port.opened.then(service.sync), 'it logs its failures')
  return { ended: service.run(signal) }
}
