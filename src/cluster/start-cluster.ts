import path from 'node:path'
import { holding, keepAlive, systemClock } from '../base/clock.ts'
import { silentLogger } from '../base/logger.ts'
import { systemRandom } from '../base/random.ts'
import { KUBERNETES_VERSION } from '../base/version.ts'
import type { KubeObject } from '../machinery/object.ts'
import { SYSTEM_MASTERS, type UserInfo } from '../machinery/resource/user.ts'
import type { NodeAgent } from '../node/agent.ts'
import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { NODES } from '../sdk/client/refs.ts'
import type { SchedulingReports } from '../server/actions/scheduling-reports.ts'
import { advertisedAddress } from '../server/kubernetes-service/advertised-address.ts'
import { OptionsError } from '../server/options/options-error.ts'
import { type CertifiedKey, openCertificates } from './certificates.ts'
import type { Cluster, InnerClusterDeps } from './cluster.ts'
import { type ClusterOptions, ConfigError, completeConfig, PortError } from './config.ts'
import { kubeconfigText, writeKubeconfig } from './kubeconfig.ts'
import { electLeader } from './leader-part.ts'
import { createMetricsPart } from './metrics/metrics-part.ts'
import { clusterNode } from './nodes/cluster-node.ts'
import { deviceSetup } from './nodes/device-setup.ts'
import { evictionSetup } from './nodes/eviction-setup.ts'
import { createKubelets } from './nodes/kubelets.ts'
import { openNodes } from './nodes/node-part.ts'
import { nodeStreams } from './nodes/node-streams.ts'
import { podLogDoor } from './nodes/pod-log-door.ts'
import { API_SERVER_ADDRESS } from './nodes/simulated-addresses.ts'
import { staticPodSetup } from './nodes/static-pod-setup.ts'
import { topologySetup } from './nodes/topology-setup.ts'
import { createProgramsPart, nameserverOf } from './programs/programs-part.ts'
import { servicePort } from './server/begin-bootstrap.ts'
import { openStore } from './server/open-store.ts'
import { proxyConnectors } from './server/proxy-connectors.ts'
import { serverOptionsOf } from './server/server-options.ts'
import { openServerPart } from './server/server-part.ts'
import type { ClusterState } from './snapshot/cluster-origin.ts'
import { type RunPart, Supervisor } from './supervisor.ts'

const ADMIN: UserInfo = { name: 'admin', uid: 'admin-uid', groups: [SYSTEM_MASTERS, 'system:authenticated'] }
const component = (name: string, ...groups: string[]): UserInfo => ({ name, groups: [...groups, 'system:authenticated'] })

/** Starts a cluster; resolves when it answers. */
export async function startCluster(options: ClusterOptions = {}, deps: InnerClusterDeps = {}): Promise<Cluster> {
  if (options.from !== undefined) return (await import('./snapshot/start-from.ts')).startFrom(options.from, options, deps, startCluster)
  const config = completeConfig(typeof options.images === 'string' ? { ...options, images: await imagesIn(options.images) } : options)
  const { clock = systemClock, random = systemRandom(), log = silentLogger } = deps
  const simulates = config.parts.has('nodes') && config.nodes > 0
  const folder = config.dataDir === undefined ? undefined : path.join(config.dataDir, 'certificates')
  const topology = await topologySetup(config, { clock, log })
  const podRanges = config.clusterCidr === undefined ? undefined : (await import('./nodes/pod-ranges.ts')).readPodRanges(config)
  const staticPods = await staticPodSetup(config, topology?.kubelet.staticPods, { clock, log })
  const { origin } = deps
  const opening = origin?.store?.(clock) ?? openStore(deps.server?.storage ?? config, clock, log)
  const certificates = await beside(
    opening,
    () =>
      deps.certificates ??
      openCertificates(
        {
          folder,
          serviceCidr: config.serviceCidr,
          hosts: simulates ? [API_SERVER_ADDRESS] : [],
          ...(origin?.keys && { keys: origin.keys }),
        },
        { clock },
      ),
  )
  const agents = new Map<string, NodeAgent>()
  const devices = deviceSetup(config)
  const reports: SchedulingReports = { of: undefined }
  const { images, serviceCidr } = config
  const serverOptions = deps.server ?? serverOptionsOf(config, certificates)
  const place = { address: API_SERVER_ADDRESS, port: servicePort(serverOptions) }
  const programs = createProgramsPart({ images, serviceCidr, server: place, clock, random, log })
  const metrics = createMetricsPart({ clock, log, simulated: (name) => agents.has(name) })
  const eviction = evictionSetup({ clock, memory: metrics.memory, topology })
  const kubelets = createKubelets({
    certificates,
    kubeletConfig: config.kubeletConfig,
    client: (name) => client(component(`system:node:${name}`, 'system:nodes')),
    clock,
    log,
  })
  const connectors = {
    podLog: podLogDoor(agents, clock),
    streams: deps.streams ?? nodeStreams(agents),
    ...proxyConnectors({
      agents,
      kubelets,
      services: new Map([...metrics.services, ...(deps.services ?? [])]),
      inside: programs.inside,
      clock,
    }),
    ...deps.connectors,
  }
  const part = await openServerPart(serverOptions, {
    parts: config.parts,
    opening,
    clock,
    random,
    log,
    freeze: deps.freeze ?? false,
    connectors,
    services: metrics.services,
    inside: programs.inside,
    ...(deps.services && { services: deps.services }),
    ...(config.parts.has('scheduler') && { schedulingReports: reports }),
    ...(topology && config.parts.has('nodes') && { topologyReports: (pod: KubeObject) => topology.report(pod) }),
    ...(deps.socketClock && { socketClock: deps.socketClock }),
    ...(deps.opened && { opened: deps.opened }),
    ...(origin?.caches && { shared: origin.caches }),
  }).catch(inOptionsOfCluster)
  const { server, watchCache } = part
  const stop = new AbortController()
  const rest = keepAlive()
  const supervisor = new Supervisor({ clock, log, signal: stop.signal, ...(deps.partDied && { died: deps.partDied }) })
  watchCache.failed.addEventListener('abort', () => supervisor.fail('store', watchCache.failed.reason), { once: true })
  let address = ''
  let listening: Promise<string> | undefined
  let admin: CertifiedKey | undefined
  // Without simulated nodes there is no network beside the machine's.
  const machineAddress = () =>
    deps.server && advertisedAddress({ advertise: deps.server.network.advertiseAddress, host: deps.server.serving.host })
  const kubernetesService = part.kubernetesService(simulates ? place.address : machineAddress())
  let keeping: Promise<void> | undefined
  const client = (user: UserInfo = ADMIN) => createClient(server.transport(user))

  const cluster: Cluster = {
    config,
    kubernetesVersion: KUBERNETES_VERSION,
    nodeNames: config.parts.has('nodes') ? Array.from({ length: config.nodes }, (_, i) => `node-${i + 1}`) : [],
    get address() {
      return address
    },
    failed: supervisor.failed,
    listen() {
      listening ??= openPort().then((opened) => {
        address = opened.address
        if (config.kubeconfig !== undefined) writeKubeconfig(config.kubeconfig, kubeconfigInit())
        return address
      })
      return listening
    },
    kubeconfig: () => {
      if (address === '') throw new Error('the cluster has no address yet: call listen() before kubeconfig()')
      return kubeconfigText(kubeconfigInit())
    },
    client,
    transport: (user = ADMIN) => server.transport(user),
    node: (name) => clusterNode(name, client()),
    async fork(others = {}, otherDeps = {}) {
      const { forkCluster } = await import('./snapshot/fork-cluster.ts')
      return forkCluster({ options: { ...options, images: config.images }, deps, ...state() }, others, otherDeps, startCluster)
    },
    async save(file) {
      const { saveCluster } = await holding(clock, 'loading snapshots', () => import('./snapshot/save-cluster.ts'))
      await saveCluster(file, { config, ...state() })
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await keeping
      await supervisor.ended()
      programs[Symbol.dispose]()
      await kubelets[Symbol.asyncDispose]()
      await metrics[Symbol.asyncDispose]()
      await part[Symbol.asyncDispose]()
      devices[Symbol.dispose]()
      rest()
    },
  }

  function state(): ClusterState {
    return { store: part.store, share: () => watchCache.share(), certificates, clock }
  }

  function openPort() {
    return server.listen().catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EADDRINUSE') throw new PortError('in-use', config, error)
      if (code === 'EACCES') throw new PortError('not-allowed', config, error)
      throw error
    })
  }

  function kubeconfigInit() {
    admin ??= certificates.client({ commonName: 'admin', organizations: [SYSTEM_MASTERS], uid: 'admin-uid' })
    return { server: address, ca: certificates.ca.certificate, user: 'admin', certificate: admin.certificate, key: admin.key }
  }

  try {
    if (deps.quiet !== true) await cluster.listen()
    await kubernetesService.settle()
    keeping = kubernetesService.run(stop.signal)
    if (simulates) await metrics.start({ ...part, client: client(component('system:simulated-metrics', SYSTEM_MASTERS)) })
    const startParts = () => {
      if (config.parts.has('controllers')) supervisor.start('controllers', loadControllers)
      if (config.parts.has('scheduler')) supervisor.start('scheduler', loadScheduler)
      if (simulates) supervisor.start('nodes', loadNodes)
    }
    if (deps.partsAfterMs === undefined) startParts()
    else stop.signal.addEventListener('abort', clock.after(deps.partsAfterMs, startParts), { once: true })
  } catch (error) {
    await cluster[Symbol.asyncDispose]()
    throw error
  }
  return cluster

  async function loadControllers(): Promise<RunPart> {
    const { createControllers } = await holding(clock, 'loading the controllers', () => import('../controllers/frame/controller-set.ts'))
    const own = client(component('system:kube-controller-manager', SYSTEM_MASTERS))
    const keys = { ca: certificates.ca.certificate, caKey: certificates.ca.key }
    const setup = { ...keys, defaultStorageClass: config.storageClass, nodeRanges: (await podRangePlan())?.others }
    const clientOf = (name: string) =>
      client(component(`system:serviceaccount:kube-system:${name}`, 'system:serviceaccounts', 'system:serviceaccounts:kube-system'))
    return elected('kube-controller-manager', own, (signal) =>
      createControllers(setup, { client: own, clientOf, clock, random, log }).run(signal),
    )
  }

  async function loadScheduler(): Promise<RunPart> {
    const { createScheduler } = await holding(clock, 'loading the scheduler', () => import('../scheduler/scheduler.ts'))
    const own = client(component('system:kube-scheduler'))
    const init = { client: own, clock, random, log, config: await schedulerConfiguration() }
    // A configuration that cannot work ends the part at once: trying again would not mend it.
    let first: ReturnType<typeof createScheduler> | undefined = createScheduler(init)
    return elected('kube-scheduler', own, (signal) => {
      const scheduler = first ?? createScheduler(init)
      first = undefined
      reports.of = (pod) => scheduler.report(pod)
      return scheduler.run(signal).finally(() => {
        reports.of = undefined
      })
    })
  }

  async function schedulerConfiguration() {
    const { schedulerPolicy, schedulerConfig = {} } = config
    if (schedulerPolicy === undefined) return schedulerConfig
    const load = () => Promise.all([import('../scheduler/legacy/policy.ts'), import('../scheduler/legacy/translate.ts')])
    const [{ readPolicy }, { translateLegacy }] = await holding(clock, 'loading the policy', load)
    return translateLegacy({ policy: readPolicy(schedulerPolicy) })
  }

  async function loadNodes(): Promise<RunPart> {
    const transport = (name: string) => server.transport(component(`system:node:${name}`, 'system:nodes'))
    const nodeClient = (name: string) => createClient(transport(name))
    const script = deps.script === undefined ? {} : { script: deps.script }
    programs.start({ objects: watchCache.reader, clientOf: client, nodeClient, apiServer: () => server.connectSecurely() })
    const nodeSetup = { eviction, programs, ...(devices.setup && { devices: devices.setup }), ...(topology && { topology }) }
    const setup = { ...nodeSetup, nameserver: nameserverOf(config.serviceCidr), ...(staticPods && { staticPods }) }
    const servers = { kubelets, listen: config.kubeletPorts, usage: metrics.usage }
    const podCidrs = (await podRangePlan())?.simulated
    const around = { ...(podCidrs && { podCidrs }), transport, feedClient: client(), agents, clock, random, log, ...servers }
    return openNodes(cluster.nodeNames, { ...around, ...script, ...setup })
  }

  function podRangePlan() {
    return podRanges?.plan(cluster.nodeNames, async () => (await client().list(NODES)).items)
  }

  function elected(name: string, own: Client, lead: RunPart): RunPart {
    return config.leaderElection ? electLeader(name, lead, { client: own, clock, random, log }) : lead
  }
}

async function imagesIn(file: string) {
  const { loadImages } = await import('./programs/load-images.ts')
  return loadImages(file)
}

/** The one option of the server that a cluster's own options name a file for. */
function inOptionsOfCluster(error: unknown): never {
  if (error instanceof OptionsError) throw new ConfigError(`--audit-log: the file cannot be written: ${error.message}`, { cause: error })
  throw error
}

/** Works while the store is being opened; when the work fails, the store is let go of. */
async function beside<T>(opening: Promise<AsyncDisposable>, work: () => T): Promise<T> {
  try {
    return work()
  } catch (error) {
    await opening.then(
      (store) => store[Symbol.asyncDispose](),
      () => {},
    )
    throw error
  }
}
