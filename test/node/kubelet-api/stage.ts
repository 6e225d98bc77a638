import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/logger.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { openCertificates } from '../../../src/cluster/certificates.ts'
import type { Cluster } from '../../../src/cluster/cluster.ts'
import { localReach } from '../../../src/cluster/nodes/local-reach.ts'
import { podLogConnector } from '../../../src/cluster/nodes/pod-log.ts'
import { proxyConnectors } from '../../../src/cluster/server/proxy-connectors.ts'
import { startCluster } from '../../../src/cluster/start-cluster.ts'
import type { JsonObject, KubeObject } from '../../../src/machinery/object.ts'
import { SYSTEM_MASTERS } from '../../../src/machinery/resource/user.ts'
import { NodeAgent } from '../../../src/node/agent.ts'
import { kubeletApiConfig } from '../../../src/node/api/configuration.ts'
import { createKubeletApi, type KubeletApi } from '../../../src/node/api/kubelet-api.ts'
import type { KubeletHost } from '../../../src/node/api/kubelet-host.ts'
import { createSharedFeed } from '../../../src/node/feed.ts'
import { openLog } from '../../../src/node/pod/open-log.ts'
import { ProbeCounts } from '../../../src/node/probes/probe-counts.ts'
import { createSimulatedNetwork } from '../../../src/node/runtime/simulated/simulated-network.ts'
import { createSimulatedRuntime } from '../../../src/node/runtime/simulated/simulated-runtime.ts'
import { DEFAULT_MACHINE } from '../../../src/node/status/node-object.ts'
import type { Pod } from '../../../src/node/types/pod.ts'
import { PODS } from '../../../src/resources/refs.ts'
import type { Pod as KubePod, PodSpec } from '../../../src/resources/types/core.ts'
import type { Client } from '../../../src/sdk/client/client.ts'
import { createInformerFactory } from '../../../src/sdk/informer/informer-factory.ts'
import { script, scriptedStreams } from './scripted-streams.ts'
import type { Where } from './send.ts'

/** The cluster of the recording: one node with its kubelet, and the pods of the requests. */
export interface Stage extends AsyncDisposable {
  readonly cluster: Cluster
  readonly client: Client
  /** The reviews that the kubelet created since this was cleared. */
  readonly reviews: JsonObject[]
  /** The target and the credentials of a request. */
  where(to: 'kubelet' | 'apiserver', as: string): Where
}

const NODE = 'node-1'
const ADDRESS = '192.0.2.10'

/** The recorded kubelet's configuration, as far as it differs from the defaults. */
const CONFIGURATION: JsonObject = {
  staticPodPath: '/etc/kubernetes/manifests',
  fileCheckFrequency: '2s',
  authentication: { x509: { clientCAFile: '<dir>/kubelet-ca.crt' }, webhook: { enabled: true, cacheTTL: '1s' } },
  authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '1s', cacheUnauthorizedTTL: '1s' } },
  registryPullQPS: 0,
  clusterDomain: 'cluster.local',
  clusterDNS: ['10.0.0.10'],
  nodeStatusUpdateFrequency: '2s',
  nodeStatusReportFrequency: '2s',
  imageGCHighThresholdPercent: 100,
  cgroupRoot: '/',
  maxPods: 250,
  resolvConf: '<dir>/resolv.conf',
  serializeImagePulls: false,
  evictionHard: { 'imagefs.available': '1%', 'memory.available': '100Mi', 'nodefs.available': '1%', 'nodefs.inodesFree': '1%' },
  failSwapOn: false,
  systemReserved: { memory: '512Mi' },
  volumePluginDir: '/var/lib/kubelet/volumeplugins',
  containerRuntimeEndpoint: 'unix://<dir>/cri.sock',
  failCgroupV1: false,
}

export async function openStage(): Promise<Stage> {
  const clock = systemClock
  const random = seededRandom(7)
  const log = silentLogger
  const certificates = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock })
  const stranger = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock })
  const agents = new Map<string, NodeAgent>()
  const apis = new Map<string, KubeletApi>()
  const master = { name: 'kube-apiserver-kubelet-client', groups: [SYSTEM_MASTERS, 'system:authenticated'] }
  const kubelets = { connect: async (name: string) => apis.get(name)?.connect(master) }
  const reach = localReach({ agents, kubelets, owns: (name) => name === NODE, inside: () => undefined, topologyReport: () => undefined })
  const connectors = {
    podLog: podLogConnector(reach, clock),
    streams: reach.streams,
    ...proxyConnectors({ nodes: reach, services: new Map(), clock }),
  }
  const cluster = await startCluster(
    { parts: ['server', 'nodes'], nodes: 0, port: 0, ephemeral: true },
    { certificates, connectors, random, quiet: true },
  )
  const apiserver = new URL(await cluster.listen())
  const client = cluster.client()
  const feed = createSharedFeed(createInformerFactory({ client, clock, random, log }))
  const simulated = createSimulatedRuntime({ clock, random, script, podSubnets: ['10.85.0.'] })
  const runtime = scriptedStreams(simulated)
  const identity = {
    name: NODE,
    ip: ADDRESS,
    machine: { ...DEFAULT_MACHINE, cpu: '2', memory: '32Gi', pods: '250' },
    ids: { machineId: 'machine', bootId: 'boot' },
    runtime,
  }
  const probeCounts = new ProbeCounts()
  const agent = new NodeAgent(identity, { client, feed, clock, log, runtime, network: createSimulatedNetwork(simulated), probeCounts })
  agents.set(NODE, agent)
  const host: KubeletHost = {
    nodeName: NODE,
    machine: identity.machine,
    ids: identity.ids,
    runtime,
    pods: () => feed.podsOf(NODE) as readonly Pod[],
    logs: (pod, container, query, signal) => openLog({ pod, container, query }, runtime, signal),
    alive: () => true,
    probes: () => probeCounts.all(),
  }
  const reviews: JsonObject[] = []
  const config = kubeletApiConfig(CONFIGURATION)
  // No cache: the rows of the recording with cached reviews are omitted.
  const access = { ...config.access, tokenTtlMs: 0, allowedTtlMs: 0, deniedTtlMs: 0 }
  const api = createKubeletApi({ ...config, access }, { host, client: recording(client, reviews), clock, log, version: 'v1.36.3' })
  apis.set(NODE, api)
  const { certificate: cert, key } = certificates.kubelet()
  const port = await api.listen({ host: '127.0.0.1', port: 0, certificate: { cert, key }, clientCa: certificates.ca.certificate })
  await agent.register()
  const stop = new AbortController()
  const running = Promise.all([feed.run(stop.signal), agent.run(stop.signal)])
  await makePods(client)
  return {
    cluster,
    client,
    reviews,
    where(to, as) {
      const at = { host: '127.0.0.1', port: to === 'kubelet' ? port : Number(apiserver.port), ca: certificates.ca.certificate }
      const [kind, name = ''] = as.split(' ')
      if (kind === 'nobody') return at
      if (kind === 'token') return { ...at, token: name }
      const [issuer, subject] =
        name === 'stranger'
          ? [stranger, { commonName: name, organizations: [SYSTEM_MASTERS] }]
          : [
              certificates,
              kind === 'masters' ? { commonName: 'admin', organizations: [SYSTEM_MASTERS] } : { commonName: name, organizations: ['devs'] },
            ]
      const own = issuer.client(subject)
      return { ...at, cert: own.certificate, key: own.key }
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await api[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

/** Records reviews; accepts the one token of the recording, which was in a static token file there. */
function recording(client: Client, reviews: JsonObject[]): Client {
  return {
    ...client,
    async create(target, object) {
      const review = object as KubeObject
      const { token, ...spec } = review.spec as JsonObject & { token?: string }
      reviews.push({ review: target.resource, apiVersion: target.version, spec })
      if (token !== 'user-token') return client.create(target, object)
      const user = { username: 'alice', uid: 'alice-uid', groups: ['devs', 'system:authenticated'] }
      return { ...object, status: { authenticated: true, user } }
    },
  }
}

const container = (name: string, image: string, more = {}) => ({ name, image, ...more })

const SPECS: Readonly<Record<string, PodSpec>> = {
  one: { nodeName: NODE, terminationGracePeriodSeconds: 5, containers: [container('main', 'app')] },
  two: { nodeName: NODE, initContainers: [container('i', 'done')], containers: [container('a', 'app'), container('b', 'app')] },
  gone: { nodeName: NODE, restartPolicy: 'Never', containers: [container('main', 'fail')] },
  crash: { nodeName: NODE, containers: [container('main', 'fail')] },
  waits: { nodeName: NODE, containers: [container('main', 'missing')] },
  rejected: { nodeName: NODE, containers: [container('main', 'app', { resources: { requests: { cpu: '99' } } })] },
  'readiness-exec-fails-then-recovers': {
    nodeName: NODE,
    containers: [container('main', 'app', { readinessProbe: { exec: { command: ['true'] } } })],
  },
  unbound: { schedulerName: 'nobody', containers: [container('main', 'app')] },
  elsewhere: { nodeName: 'node-9', containers: [container('main', 'app')] },
}

async function makePods(client: Client): Promise<void> {
  const core = { group: '', version: 'v1' }
  const meta = { namespace: 'default' }
  await client
    .create({ ...core, resource: 'namespaces' }, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } })
    .catch(() => {})
  await client
    .create(
      { ...core, ...meta, resource: 'serviceaccounts' },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', ...meta } },
    )
    .catch(() => {})
  const ca = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt', ...meta }, data: { 'ca.crt': 'x' } }
  await client.create({ ...core, ...meta, resource: 'configmaps' }, ca).catch(() => {})
  for (const [name, spec] of Object.entries(SPECS))
    await client.create({ ...PODS, ...meta }, { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...meta }, spec })
  const settled: Readonly<Record<string, (pod: Reported) => boolean>> = {
    one: isRunning,
    two: isRunning,
    gone: isFailed,
    rejected: isFailed,
    'readiness-exec-fails-then-recovers': (pod) => pod.status?.containerStatuses?.[0]?.ready === true,
    crash: (pod) => pod.status?.containerStatuses?.[0]?.state?.terminated !== undefined || waitsFor(pod, 'CrashLoopBackOff'),
    waits: (pod) => waitsFor(pod, 'ImagePullBackOff'),
  }
  const waiting = new Set(Object.keys(settled))
  for await (const events of client.watch({ ...PODS, ...meta }, { signal: AbortSignal.timeout(30_000) })) {
    for (const { type, object } of events)
      if (type !== 'BOOKMARK' && settled[object.metadata.name ?? '']?.(object)) waiting.delete(object.metadata.name ?? '')
    if (waiting.size === 0) return
  }
}

type Reported = Pick<KubePod, 'status'>

const isRunning = (pod: Reported) => pod.status?.phase === 'Running'
const isFailed = (pod: Reported) => pod.status?.phase === 'Failed'
const waitsFor = (pod: Reported, reason: string) => pod.status?.containerStatuses?.[0]?.state?.waiting?.reason === reason
