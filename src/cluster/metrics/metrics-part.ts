import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import { createMetricsServer } from '../../metrics-server/metrics-server.ts'
import type { Find } from '../../metrics-server/scripted-object.ts'
import type { HpaSpec } from '../../resources/autoscaling/hpa-types.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { LocalServer } from '../../server/services/resolve-service.ts'
import { type PodFigures, podFigures } from './pod-figures.ts'

const SERVICE = { namespace: 'kube-system', name: 'simulated-metrics', port: 443 } as const
const API_SERVICES = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } as const
const KUBE_SYSTEM = { group: '', version: 'v1', resource: 'namespaces', name: 'kube-system' } as const
/** Annotation of the namespace kube-system: the APIServices that were created once. Users may delete them; they are not created again. */
const MADE = simulatedKey('metrics-apis')

const RESOURCE_METRICS = [{ group: 'metrics.k8s.io', version: 'v1beta1', versionPriority: 100 }] as const
/** Created for the first autoscaler that needs such metrics, so that other metrics adapters can be installed before. */
const OTHERS = {
  custom: [
    { group: 'custom.metrics.k8s.io', version: 'v1beta2', versionPriority: 200 },
    { group: 'custom.metrics.k8s.io', version: 'v1beta1', versionPriority: 100 },
  ],
  external: [{ group: 'external.metrics.k8s.io', version: 'v1beta1', versionPriority: 100 }],
} as const

interface MetricsApi {
  readonly group: string
  readonly version: string
  readonly versionPriority: number
}

export interface MetricsPartDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Whether a node of this name is simulated in this process. */
  readonly simulated: (nodeName: string) => boolean
}

/** Workloads whose annotations may describe the usage of their pods. */
const WORKLOADS = [
  ['apps', 'deployments'],
  ['apps', 'replicasets'],
  ['apps', 'statefulsets'],
  ['apps', 'daemonsets'],
  ['batch', 'jobs'],
  ['batch', 'cronjobs'],
  ['', 'replicationcontrollers'],
] as const

/** The parts of a running server that are needed here. */
export interface OpenServer {
  readonly watchCache: WatchCache
  readonly definitions: ResourceRegistry
  /** Authorized for everything. */
  readonly client: Client
}

/** The metrics APIs of simulated nodes, behind APIServices that users may change or delete. */
export interface MetricsPart extends AsyncDisposable {
  /** Servers for the API server, by `NAMESPACE/NAME` of their services. */
  readonly services: ReadonlyMap<string, LocalServer>
  /** The usage of pods, for their nodes. */
  readonly figures: PodFigures
  /** Creates missing APIServices: that of `metrics.k8s.io` before this resolves, the others when they are needed. */
  start(server: OpenServer): Promise<void>
}

export function createMetricsPart({ clock, log, simulated }: MetricsPartDeps): MetricsPart {
  let open: OpenServer | undefined
  let stop = () => {}
  let making: Promise<void> = Promise.resolve()
  const figures = podFigures({ clock, log, simulated, find: findIn(() => open) })
  const metrics = createMetricsServer({ clock, simulated, find: findIn(() => open) })
  /** One after the other, each once. */
  const make = (client: Client, apis: readonly MetricsApi[]): Promise<void> => {
    making = making
      .then(() => makeApis(client, apis))
      .catch((error: unknown) => log.warn('a metrics API could not be registered', { error }))
    return making
  }
  return {
    services: new Map([[`${SERVICE.namespace}/${SERVICE.name}`, () => metrics.connect()]]),
    figures,
    async start(server) {
      open = server
      const unwatch = WORKLOADS.map(([group, resource]) => server.watchCache.onChange(group, resource, (object) => figures.seen(object)))
      const requested = new Set<keyof typeof OTHERS>()
      const look = (hpa: KubeObject | undefined) => {
        for (const which of neededBy(hpa?.spec ?? {})) {
          if (requested.has(which)) continue
          requested.add(which)
          void make(server.client, OTHERS[which])
        }
      }
      const unlook = server.watchCache.onChange('autoscaling', 'horizontalpodautoscalers', look)
      stop = () => {
        for (const end of [...unwatch, unlook]) end()
      }
      for (const [group, resource] of WORKLOADS) for (const object of server.watchCache.reader.list(group, resource)) figures.seen(object)
      await make(server.client, RESOURCE_METRICS)
      for (const hpa of server.watchCache.reader.list('autoscaling', 'horizontalpodautoscalers')) look(hpa)
    },
    async [Symbol.asyncDispose]() {
      stop()
      await making
      metrics[Symbol.dispose]()
    },
  }
}

/** The metrics APIs that an autoscaler reads besides `metrics.k8s.io`. */
export function neededBy({ metrics = [] }: HpaSpec): readonly (keyof typeof OTHERS)[] {
  const types = new Set(metrics.map(({ type }) => type))
  return [
    ...(types.has('Pods') || types.has('Object') ? (['custom'] as const) : []),
    ...(types.has('External') ? (['external'] as const) : []),
  ]
}

async function makeApis(client: Client, apis: readonly MetricsApi[]): Promise<void> {
  const system = await client.get(KUBE_SYSTEM)
  const made = new Set((system.metadata.annotations?.[MADE] ?? '').split(',').filter((name) => name !== ''))
  const before = made.size
  for (const { group, version, versionPriority } of apis) {
    const name = `${version}.${group}`
    if (made.has(name)) continue
    const spec = { group, version, groupPriorityMinimum: 100, versionPriority, service: SERVICE, insecureSkipTLSVerify: true }
    const body = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec }
    // An APIService that exists already is kept.
    await client.create(API_SERVICES, body).catch(ignoring('AlreadyExists'))
    made.add(name)
  }
  if (made.size === before) return
  await client.patch(KUBE_SYSTEM, 'merge', { metadata: { annotations: { [MADE]: [...made].join(',') } } })
}

/** Finds objects in this server's caches. */
function findIn(open: () => OpenServer | undefined): Find {
  const get = (definition: ResourceDefinition | undefined, namespace: string, name: string) => {
    const server = open()
    if (server === undefined || definition === undefined || definition.review !== undefined || definition.report !== undefined)
      return undefined
    const key = definition.scope === 'Cluster' ? name : `${namespace}/${name}`
    return server.watchCache.of(definition).get(key)?.object
  }
  return {
    reader: {
      get: (group, resource, namespace, name) => open()?.watchCache.reader.get(group, resource, namespace, name),
      list: (group, resource, namespace) => open()?.watchCache.reader.list(group, resource, namespace) ?? [],
    },
    ofKind: (group, kind, namespace, name) => get(open()?.definitions.byKind(group, kind), namespace, name),
    ofResource: (group, resource, namespace, name) => get(open()?.definitions.get(group, resource), namespace, name),
  }
}
