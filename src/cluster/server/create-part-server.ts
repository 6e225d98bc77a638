import type { AdmissionPlugin } from '../../apiserver/admission/plugin.ts'
import type { ServerConfig } from '../../apiserver/deps.ts'
import { STORE_AWAY } from '../../apiserver/discovery/plain-paths.ts'
import type { HealthCheck } from '../../apiserver/request/plain-paths.ts'
import { type ApiServer, createServer } from '../../apiserver/server.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import { compileRegex } from '../../machinery/go/compile-regex.ts'
import { onChangeOf } from '../../resources/read-objects.ts'
import { PODS } from '../../resources/refs.ts'
import { kubernetesConnectors } from '../../server/actions/connectors.ts'
import { nodeReport } from '../../server/actions/node-reports.ts'
import { podBinding } from '../../server/actions/pod-binding.ts'
import { evictPod } from '../../server/actions/pod-eviction.ts'
import { topologyReport } from '../../server/actions/topology-reports.ts'
import { AllocationMetrics } from '../../server/allocation/allocation-metrics.ts'
import { type Allocations, createAllocations } from '../../server/allocation/allocations.ts'
import { createNodeBookings } from '../../server/allocation/node-bookings.ts'
import { createRangeAllocations } from '../../server/allocation/range-allocations.ts'
import { createServiceAllocator } from '../../server/allocation/service-allocator.ts'
import { kubernetesKinds } from '../../server/kubernetes-kinds.ts'
import { gateFamily } from '../../server/options/gate-metrics.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { sharedEtcd } from '../../server/options/storage.ts'
import { controllerReports } from '../../server/reports/controller-reports.ts'
import { fieldHistories } from '../../server/reports/field-histories.ts'
import { objectConversion } from '../../server/reports/object-conversion.ts'
import { partMetrics } from '../../server/reports/part-metrics.ts'
import { runningScheduler } from '../../server/reports/part-reports.ts'
import { PolledReports } from '../../server/reports/polled-reports.ts'
import { PublishedReports } from '../../server/reports/published-reports.ts'
import { requestTrails } from '../../server/reports/request-trails.ts'
import { schedulingReport } from '../../server/reports/scheduling-reports.ts'
import { watchReports } from '../../server/reports/watch-reports.ts'
import type { AdmissionParts } from './open-admission.ts'
import { type Caches, storeOf } from './open-caches.ts'
import type { Observation } from './open-observation.ts'
import { openPeers } from './open-peers.ts'
import type { PhaseDeps } from './server-part-deps.ts'
import { followTls, tlsOf } from './server-tls.ts'

/** The server, and its allocations for services. */
export interface CreatedServer {
  readonly server: ApiServer
  readonly nodePorts: Allocations
}

/** Kubernetes' API server over the earlier phases; nothing listens yet. */
export function createPartServer(
  options: ServerOptions,
  parts: AdmissionParts & { readonly admission: readonly AdmissionPlugin[] },
  deps: PhaseDeps,
): CreatedServer {
  const { watchCache, definitions, metrics, flow, audit, trails, watches, authentication, authorization, auth, aggregation, admission } =
    parts
  const { clock, random, log, socketClock } = deps
  const binding = bindingOf(options, parts)
  const published = new PublishedReports(clock)
  const peers = openPeers(options, parts, deps)
  const nodePorts =
    sharedEtcd(options.storage) === undefined
      ? createAllocations('nodeports', parts.store)
      : createRangeAllocations(options.network.nodePorts, storeOf(parts, '', 'services'))
  const allocations = new AllocationMetrics(clock)
  metrics.add(() => allocations.families(watchCache.reader, options.network.nodePorts))
  metrics.add(partMetrics(deps.reports, clock))
  metrics.add(() => [gateFamily(options.features)])
  const server = createServer(serverConfig(options, deps), {
    watchCache,
    definitions,
    kinds: kubernetesKinds,
    clock,
    ...(socketClock && { socketClock }),
    random,
    log,
    authenticator: authentication.authenticator,
    authorizer: authorization.authorizer,
    flow,
    metrics,
    ...(audit && { audit }),
    ...(trails && { trails }),
    ...(watches && { watches }),
    admission,
    allowPrivileged: options.features.allowPrivileged,
    minWatchMs: options.requests.minWatchMs,
    gates: options.features.gates,
    objectLimits: options.features.objectLimits,
    allocators: { services: createServiceAllocator(options.network, nodePorts, allocations) },
    actions: { bindPod: binding.bindPod, evictPod, ...auth.actions },
    reviews: {
      bindings: binding.bindings,
      ...auth.reviews,
      controllerreports: published.take,
      objectconversions: objectConversion(definitions),
    },
    pages: auth.pages,
    delegates: aggregation,
    ...(peers && { peers }),
    healthChecks: [...ownStoreChecks(parts), ...kmsCheck(deps)],
    connectors: kubernetesConnectors(deps.connectors),
    reports: reportsOf(parts, published, deps),
  })
  return { server: deps.held.use(server), nodePorts }
}

/** The etcds of overrides, by kube-apiserver's names. */
function ownStoreChecks({ ownStores }: Caches): readonly HealthCheck[] {
  return ownStores.flatMap(({ watchCache }, i): HealthCheck[] => {
    const check = async () => ((await watchCache.storeResponds()) ? undefined : STORE_AWAY)
    return [
      { name: `etcd-override-${i}`, group: 'etcd', endpoints: ['healthz', 'livez', 'readyz'], check },
      { name: `etcd-override-readiness-${i}`, group: 'etcd-readiness', endpoints: ['readyz'], check },
    ]
  })
}

/** The plugins of encryption at rest. */
function kmsCheck({ encryption }: PhaseDeps): readonly HealthCheck[] {
  const endpoints = ['healthz', 'readyz'] as const
  return encryption?.live.isChecked === true ? [{ name: 'kms-providers', endpoints, check: () => encryption.live.check() }] : []
}

function serverConfig(options: ServerOptions, { log, opened }: PhaseDeps): ServerConfig {
  return {
    host: options.serving.host,
    port: options.serving.port,
    ...(opened && { opened }),
    tls: tlsOf(options),
    onTlsChange: (changed) => followTls(options, log, changed),
    requestTimeoutMs: options.requests.timeoutMs,
    goawayChance: options.requests.goawayChance,
    browsers: browserRules(options.requests),
    advertise: options.network.advertiseAddress,
    gitVersion: KUBERNETES_VERSION,
  }
}

function browserRules({ allowedOrigins, strictTransport }: ServerOptions['requests']): ServerConfig['browsers'] {
  if (allowedOrigins.length === 0 && strictTransport === '') return undefined
  return { allowedOrigins: allowedOrigins.map((pattern) => compileRegex(pattern)), strictTransport }
}

function bindingOf({ features }: ServerOptions, { watchCache }: Caches): ReturnType<typeof podBinding> {
  if (!features.refuseDoubleBooking) return podBinding(undefined)
  return podBinding(createNodeBookings(watchCache.reader, (listener) => onChangeOf(watchCache, PODS, listener)))
}

function reportsOf(
  { watchCache, definitions, trails, watches }: Caches & Observation,
  published: PublishedReports,
  { reports, clock, topologyReports }: PhaseDeps,
) {
  return {
    ...(trails && {
      controllerReports: controllerReports({ reports, published, trails, clock }),
      queueReports: new PolledReports(clock, () => runningScheduler(reports).queue()),
      requestTrails: requestTrails(trails, watches),
      fieldHistories: fieldHistories(trails, { definitions, watchCache }),
    }),
    ...(watches && { watchReports: watchReports(watches) }),
    schedulingReports: schedulingReport(reports),
    ...(topologyReports && {
      topologyReports: topologyReport(topologyReports, watchCache.reader),
      nodeReports: nodeReport(topologyReports, watchCache.reader),
    }),
  }
}
