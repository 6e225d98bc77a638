import path from 'node:path'
import { createResourceRegistry, type ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { SharedCaches } from '../../apiserver/cache/shared-caches.ts'
import { openWatchCache, type WatchCache } from '../../apiserver/cache/watch-cache.ts'
import { createFlowControl, FLOW_DEFAULTS } from '../../apiserver/flow/flow-control.ts'
import { ServerMetrics } from '../../apiserver/metrics/server-metrics.ts'
import { stateMetrics } from '../../apiserver/metrics/state-metrics.ts'
import type { WebhookCall } from '../../apiserver/metrics/webhook-counts.ts'
import { type ApiServer, createServer } from '../../apiserver/server.ts'
import { type Clock, holding, systemClock } from '../../base/clock.ts'
import { HeldResources } from '../../base/collections/held-resources.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import type { OpenedPort } from '../../base/opened-port.ts'
import type { Random } from '../../base/random.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import { SYSTEM_MASTERS } from '../../machinery/resource/user.ts'
import { schedulingReports } from '../../resources/bowsprit/schedulingreports.ts'
import { topologyReports } from '../../resources/bowsprit/topologyreports.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { thirdPartyResources } from '../../resources/extensions/thirdpartyresources.ts'
import { kubernetesConnectors, type NodeConnectors } from '../../server/actions/connectors.ts'
import { podBinding } from '../../server/actions/pod-binding.ts'
import { evictPod } from '../../server/actions/pod-eviction.ts'
import { type SchedulingReports, schedulingReport } from '../../server/actions/scheduling-reports.ts'
import { type TopologyReports, topologyReport } from '../../server/actions/topology-reports.ts'
import { createAdmission } from '../../server/admission/create-admission.ts'
import { openPluginGuests } from '../../server/admission/open-plugin-guests.ts'
import { conditionEvaluator } from '../../server/admission/policy/condition-evaluator.ts'
import { mutatingPolicies } from '../../server/admission/policy/mutating-policies.ts'
import { parameterAccess } from '../../server/admission/policy/parameter-access.ts'
import { validatingPolicies } from '../../server/admission/policy/validating-policies.ts'
import { createWebhookClient } from '../../server/admission/webhook/webhook-client.ts'
import { mutatingWebhooks, validatingWebhooks } from '../../server/admission/webhook/webhooks.ts'
import { createAggregation } from '../../server/aggregation/aggregation.ts'
import { createAllocations } from '../../server/allocation/allocations.ts'
import { keepBooks } from '../../server/allocation/keep-books.ts'
import { createNodeBookings } from '../../server/allocation/node-bookings.ts'
import { createServiceAllocator } from '../../server/allocation/service-allocator.ts'
import { openAuthentication } from '../../server/auth/authenticators/open-authentication.ts'
import { openAuthorization } from '../../server/auth/authorizers/open-authorization.ts'
import { createAuth } from '../../server/auth/create-auth.ts'
import type { BootstrapConfig } from '../../server/bootstrap/bootstrap-objects.ts'
import { ensureBootstrap } from '../../server/bootstrap/ensure-bootstrap.ts'
import { layDownBootstrap } from '../../server/bootstrap/lay-down-bootstrap.ts'
import type { PreparedObjects } from '../../server/bootstrap/prepared-objects.ts'
import { CustomResources } from '../../server/custom/custom-resources.ts'
import { serveThirdPartyResources } from '../../server/custom/third-party/third-party-resources.ts'
import type { GuestIdentities } from '../../server/guests/guest-identities.ts'
import { kubernetesKinds } from '../../server/kubernetes-kinds.ts'
import { canBeEndpoint } from '../../server/kubernetes-service/advertised-address.ts'
import { type KubernetesService, keepKubernetesService } from '../../server/kubernetes-service/keep-service.ts'
import { sharedAddresses, soleAddress } from '../../server/kubernetes-service/server-addresses.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import type { StorageOptions } from '../../server/options/storage.ts'
import { createServiceResolver, type InsideNetwork, type LocalServer } from '../../server/services/resolve-service.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { openSqliteStore } from '../../storage/sqlite/sqlite-store.ts'
import type { Store } from '../../storage/store.ts'
import type { Part } from '../config.ts'
import { componentStatuses } from './component-statuses.ts'
import { followTls, tlsOf } from './server-tls.ts'
import { withTimeToLive } from './time-to-live.ts'

export interface ServerPart extends AsyncDisposable {
  readonly store: Store
  readonly server: ApiServer
  readonly watchCache: WatchCache
  readonly definitions: ResourceRegistry
  /** The service `kubernetes`, and the endpoints by which it leads to this server at an address. Undefined: to none. */
  kubernetesService(address: string | undefined): KubernetesService
}

export interface ServerPartDeps {
  /** What runs besides the server, as component statuses tell. */
  readonly parts: ReadonlySet<Part>
  /** The store, from `openStore`: begun as early as can be, because its thread takes a while to start. */
  readonly opening: Promise<Store>
  /** What is known of the store already: another server's caches. */
  readonly shared?: SharedCaches
  /** What a fresh store is given at once. Default: that of the built package, if this is one. */
  readonly prepared?: PreparedObjects
  readonly clock: Clock
  readonly socketClock?: Clock
  /** The port, where it is open already. */
  readonly opened?: OpenedPort
  readonly random: Random
  readonly log: Logger
  /** Freeze cached objects (tests). */
  readonly freeze: boolean
  /** Servers of this process, by `NAMESPACE/NAME` of the service that stands for them. Default: none. */
  readonly services?: ReadonlyMap<string, LocalServer>
  /** What lies in this process of the cluster's network. Default: nothing. */
  readonly inside?: InsideNetwork
  /** The ways into the nodes: `podLog`, … */
  readonly connectors: NodeConnectors
  /** Where a scheduler runs in this process: what it says of pods. */
  readonly schedulingReports?: SchedulingReports
  /** Where nodes with a topology run in this process: what they say of pods. */
  readonly topologyReports?: TopologyReports
}

/** Store, watch cache and API server, wired; nothing listens yet. */
export async function openServerPart(options: ServerOptions, deps: ServerPartDeps): Promise<ServerPart> {
  await using held = new HeldResources()
  const { clock, random, log } = deps
  const { serving, audit, features } = options
  const store = held.use(await deps.opening)
  const definitions = createResourceRegistry([
    ...builtinResources().map((d) => withTimeToLive(d, options.storage.eventTtlMs)),
    ...(features.thirdPartyResources ? [thirdPartyResources] : []),
    ...(deps.schedulingReports ? [schedulingReports] : []),
    ...(deps.topologyReports ? [topologyReports] : []),
  ])
  const { shared } = deps
  const watchCache = held.use(await openWatchCache({ store, definitions, clock, log, freeze: deps.freeze, ...(shared && { shared }) }))
  const bootstrap: BootstrapConfig = {
    serviceCidr: options.network.serviceCidr,
    roles: options.authorization.authorizers.some((a) => a.type === 'RBAC'),
    port: servicePort(options),
  }
  // A fresh store takes what was prepared for it while the rest is put together.
  const like = { ...bootstrap, audited: audit.policy !== undefined, plugins: options.admission.plugins }
  const laidDown = layDownBootstrap(like, { ...deps, store, watchCache })
  laidDown.catch(() => {})
  const metrics = new ServerMetrics()
  const auditing = audit.policy && (await holding(clock, 'loading audit', loadAudit))
  const auditBackend = await auditing?.createAuditBackend(audit, {
    clock,
    random,
    log,
    lost: (backend, events) => metrics.auditLost(backend, events),
  })
  if (auditBackend !== undefined) held.use(auditBackend)
  if (features.unusualGates.length > 0) log.warn('features stay as they are by default', { asked: features.unusualGates })
  if (audit.unknownFields.length > 0) log.warn('the audit policy has fields that are passed over', { fields: audit.unknownFields })
  const flow = createFlowControl({ ...FLOW_DEFAULTS, concurrency: options.requests.concurrency }, { watchCache, clock })
  metrics.add(() => [...stateMetrics(watchCache, KUBERNETES_VERSION), ...flow.metrics()])
  const authorization = held.use(await openAuthorization(options.authorization, { watchCache, clock, random, log }))
  metrics.add(() => authorization.counts.families())
  const authentication = held.use(await openAuthentication(options, { watchCache, clock, random, log, transport: () => asServer() }))
  metrics.add(() => authentication.metrics())
  const auth = createAuth(options, { authentication, authorization })
  const pluginGuests = held.use(await openPluginGuests(options.admission.settings, clock))
  const local = deps.services ?? new Map<string, LocalServer>()
  const resolver = createServiceResolver(
    { routing: options.aggregation.routing },
    { reader: watchCache.reader, local, inside: deps.inside },
  )
  const webhooks = held.use(createWebhookClient({ clock, resolver }))
  const webhooksAs = (identities: GuestIdentities | undefined) =>
    identities === undefined ? webhooks : held.use(createWebhookClient({ clock, resolver, identities }))
  const policyDeps = { reader: watchCache.reader, definitions, authorizer: authorization.authorizer }
  const hookDeps = {
    clock,
    random,
    reader: watchCache.reader,
    onChange: (group: string, resource: string, changed: () => void) => watchCache.onChange(group, resource, changed),
    definitions,
    evaluate: conditionEvaluator(policyDeps),
    note: (call: WebhookCall) => metrics.webhooks.note(call),
  }
  const admission = createAdmission(
    {
      ...options.admission,
      imagePolicy: pluginGuests.imagePolicy,
      dynamic: [
        mutatingPolicies(policyDeps),
        mutatingWebhooks({ ...hookDeps, client: webhooksAs(pluginGuests.mutating) }),
        validatingPolicies(policyDeps),
        validatingWebhooks({ ...hookDeps, client: webhooksAs(pluginGuests.validating) }),
        parameterAccess(policyDeps),
      ],
    },
    {
      clock,
      random,
      reader: watchCache.reader,
      authorizer: authorization.authorizer,
      policy: authorization.policy,
      createNamespace: async (name) => {
        const target = { group: '', version: 'v1', resource: 'namespaces' }
        await asServer().call({ verb: 'create', target, query: {}, body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } })
      },
      change: (...args) => server.tools.store.change(...args),
    },
  )
  const onPod = (listener: Parameters<typeof watchCache.onChange>[2]) => watchCache.onChange('', 'pods', listener)
  const binding = podBinding(features.refuseDoubleBooking ? createNodeBookings(watchCache.reader, onPod) : undefined)
  const nodePorts = createAllocations('nodeports', store)
  const asServer = () => server.transport({ name: 'system:apiserver', groups: [SYSTEM_MASTERS, 'system:authenticated'] })
  const { frontProxy, proxyClient, rejectRedirects } = options.aggregation
  const { clientCa } = options.authentication
  const aggregation = held.use(
    createAggregation(
      { rejectRedirects, delegation: { clientCa, frontProxy } },
      {
        watchCache,
        definitions,
        resolver,
        local,
        proxyClient,
        store: () => server.tools.store,
        transport: asServer,
        clock,
        socketClock: deps.socketClock ?? systemClock,
        log,
      },
    ),
  )
  metrics.add(() => aggregation.metrics())
  const server: ApiServer = createServer(
    {
      host: serving.host,
      port: serving.port,
      ...(deps.opened && { opened: deps.opened }),
      tls: tlsOf(options),
      onTlsChange: (changed) => followTls(options, log, changed),
      requestTimeoutMs: options.requests.timeoutMs,
      advertise: options.network.advertiseAddress,
      gitVersion: KUBERNETES_VERSION,
    },
    {
      watchCache,
      definitions,
      kinds: kubernetesKinds,
      clock,
      ...(deps.socketClock && { socketClock: deps.socketClock }),
      random,
      log,
      authenticator: authentication.authenticator,
      authorizer: authorization.authorizer,
      flow,
      metrics,
      ...(auditing !== undefined &&
        auditBackend !== undefined &&
        audit.policy !== undefined && {
          audit: auditing.createAuditLog(audit.policy, { clock, random, backend: metrics.audited(auditBackend) }),
        }),
      admission: metrics.timed(admission, () => clock.monotonic()),
      allowPrivileged: features.allowPrivileged,
      allocators: { services: createServiceAllocator(options.network, nodePorts) },
      actions: { bindPod: binding.bindPod, evictPod, ...auth.actions },
      reviews: { bindings: binding.bindings, ...auth.reviews },
      pages: auth.pages,
      guests: aggregation,
      connectors: kubernetesConnectors(deps.connectors),
      reports: {
        ...(deps.schedulingReports && { schedulingReports: schedulingReport(deps.schedulingReports) }),
        ...(deps.topologyReports && { topologyReports: topologyReport(deps.topologyReports, watchCache.reader) }),
      },
    },
  )
  held.use(server)
  const components = definitions.byKind('', 'ComponentStatus')
  if (components !== undefined) for (const status of componentStatuses(deps.parts)) server.tools.store.show(components, status)
  const customResources = new CustomResources({
    store: server.tools.store,
    watchCache,
    definitions,
    clock,
    random,
    log,
    client: webhooks,
    transport: asServer,
  })
  held.use(customResources)
  if (features.thirdPartyResources) held.defer(serveThirdPartyResources({ watchCache, definitions, random, client: webhooks }))
  if (!(await laidDown)) await ensureBootstrap(bootstrap, { reader: watchCache.reader, definitions, transport: asServer(), clock })
  await aggregation.start()
  held.defer(await keepBooks({ reader: watchCache.reader, writer: server.tools.store.writer, nodePorts, clock, log }))
  const all = held.move()
  const kubernetesService = (address: string | undefined) => {
    const stands = address !== undefined && options.network.reconcileEndpoints && canBeEndpoint(address)
    const addresses = stands ? (options.storage.etcd === undefined ? soleAddress(address) : sharedAddresses(store, address)) : undefined
    return keepKubernetesService(bootstrap, { reader: watchCache.reader, definitions, transport: asServer(), addresses, clock, log })
  }
  return { store, server, watchCache, definitions, kubernetesService, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }
}

/** The port to which the service `kubernetes` leads: the server's own, or that which is usual where any may do. */
export const servicePort = ({ serving }: Pick<ServerOptions, 'serving'>): number => (serving.port === 0 ? 6443 : serving.port)

/** Begins to open the store that the options ask for. */
export async function openStore(
  options: Pick<StorageOptions, 'dataDir' | 'etcd'>,
  clock: Clock,
  log: Logger = silentLogger,
): Promise<Store> {
  if (options.etcd !== undefined) return (await import('./etcd-store.ts')).openEtcdStore(options.etcd, { clock, log })
  if (options.dataDir === undefined) return openMemoryStore({}, { clock })
  return openSqliteStore({ folder: path.join(options.dataDir, 'store') }, { clock })
}

/** Read where somebody audits alone. */
async function loadAudit() {
  const [{ createAuditLog }, { createAuditBackend }] = await Promise.all([
    import('../../apiserver/audit/audit-log.ts'),
    import('../../server/audit/create-audit.ts'),
  ])
  return { createAuditLog, createAuditBackend }
}
