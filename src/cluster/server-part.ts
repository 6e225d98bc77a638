import path from 'node:path'
import { createAuditLog } from '../apiserver/audit/audit-log.ts'
import { createResourceRegistry } from '../apiserver/cache/resource-registry.ts'
import { openWatchCache, type WatchCache } from '../apiserver/cache/watch-cache.ts'

import { createFlowControl, FLOW_DEFAULTS } from '../apiserver/flow/flow-control.ts'
import { ServerMetrics } from '../apiserver/metrics/server-metrics.ts'
import { stateMetrics } from '../apiserver/metrics/state-metrics.ts'
import type { WebhookCall } from '../apiserver/metrics/webhook-counts.ts'
import { type ApiServer, createServer } from '../apiserver/server.ts'
import type { Clock } from '../base/clock.ts'
import { HeldResources } from '../base/held-resources.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { KUBERNETES_VERSION } from '../base/version.ts'
import { SYSTEM_MASTERS } from '../machinery/resource/user.ts'
import { builtinResources } from '../resources/builtin.ts'
import { thirdPartyResources } from '../resources/extensions/thirdpartyresources.ts'
import { kubernetesConnectors, type NodeConnectors } from '../server/actions/connectors.ts'
import { bindings, bindPod } from '../server/actions/pod-binding.ts'
import { evictPod } from '../server/actions/pod-eviction.ts'
import { createAdmission } from '../server/admission/create-admission.ts'
import { conditionEvaluator } from '../server/admission/policy/condition-evaluator.ts'
import { mutatingPolicies } from '../server/admission/policy/mutating-policies.ts'
import { parameterAccess } from '../server/admission/policy/parameter-access.ts'
import { validatingPolicies } from '../server/admission/policy/validating-policies.ts'
import { createWebhookClient } from '../server/admission/webhook/webhook-client.ts'
import { mutatingWebhooks, validatingWebhooks } from '../server/admission/webhook/webhooks.ts'
import { createAllocations } from '../server/allocation/allocations.ts'
import { keepBooks } from '../server/allocation/keep-books.ts'
import { createServiceAllocator } from '../server/allocation/service-allocator.ts'
import { createAuth } from '../server/auth/create-auth.ts'
import { ensureBootstrap } from '../server/bootstrap/ensure-bootstrap.ts'
import { CustomResources } from '../server/custom/custom-resources.ts'
import { serveThirdPartyResources } from '../server/custom/third-party/third-party-resources.ts'
import { kubernetesKinds } from '../server/kubernetes-kinds.ts'
import { openMemoryStore } from '../storage/memory/memory-store.ts'
import { openSqliteStore } from '../storage/sqlite/sqlite-store.ts'
import type { Store } from '../storage/store.ts'
import { openAuditFile } from './audit-file.ts'
import { type ClusterCertificates, FRONT_PROXY_NAME } from './certificates.ts'
import { componentStatuses } from './component-statuses.ts'
import type { ClusterConfig } from './config.ts'

export interface ServerPart extends AsyncDisposable {
  readonly server: ApiServer
  readonly watchCache: WatchCache
}

export interface ServerPartDeps {
  readonly certificates: ClusterCertificates
  /** The store, from `openStore`: begun as early as can be, because its thread takes a while to start. */
  readonly opening: Promise<Store>
  readonly clock: Clock
  readonly socketClock?: Clock
  readonly random: Random
  readonly log: Logger
  /** Freeze cached objects (tests). */
  readonly freeze: boolean
  /** The ways into the nodes: `podLog`, … */
  readonly connectors: NodeConnectors
}

/** Store, watch cache and API server, wired; nothing listens yet. */
export async function openServerPart(config: ClusterConfig, deps: ServerPartDeps): Promise<ServerPart> {
  await using held = new HeldResources()
  const { clock, random, log, certificates } = deps
  const store = held.use(await deps.opening)
  const auditFile = config.audit && held.use(openAuditFile(config.audit.file, log))
  const definitions = createResourceRegistry([...builtinResources(), ...(config.thirdPartyResources ? [thirdPartyResources] : [])])
  const watchCache = held.use(await openWatchCache({ store, definitions, clock, log, freeze: deps.freeze }))
  const metrics = new ServerMetrics()
  const flow = createFlowControl(FLOW_DEFAULTS, { watchCache, clock })
  metrics.add(() => [...stateMetrics(watchCache, KUBERNETES_VERSION), ...flow.metrics()])
  const auth = createAuth({ serviceAccountKeys: certificates.serviceAccount, frontProxyNames: [FRONT_PROXY_NAME] }, { watchCache, clock })
  const webhooks = held.use(createWebhookClient({ clock, reader: watchCache.reader }))
  const policyDeps = { reader: watchCache.reader, definitions, authorizer: auth.authorizer }
  const hookDeps = {
    clock,
    random,
    reader: watchCache.reader,
    onChange: (group: string, resource: string, changed: () => void) => watchCache.onChange(group, resource, changed),
    definitions,
    client: webhooks,
    evaluate: conditionEvaluator(policyDeps),
    note: (call: WebhookCall) => metrics.webhooks.note(call),
  }
  const admission = createAdmission(
    {
      dynamic: [
        mutatingPolicies(policyDeps),
        mutatingWebhooks(hookDeps),
        validatingPolicies(policyDeps),
        validatingWebhooks(hookDeps),
        parameterAccess(policyDeps),
      ],
    },
    {
      clock,
      random,
      reader: watchCache.reader,
      authorizer: auth.authorizer,
      policy: auth.policy,
      change: (...args) => server.tools.store.change(...args),
    },
  )
  const nodePorts = createAllocations('nodeports', store)
  const server: ApiServer = createServer(
    {
      host: config.host,
      port: config.port,
      tls: {
        cert: certificates.serving.certificate,
        key: certificates.serving.key,
        clientCa: certificates.ca.certificate,
        frontProxyCa: certificates.frontProxyCa.certificate,
      },
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
      authenticator: auth.authenticator,
      authorizer: auth.authorizer,
      flow,
      metrics,
      ...(auditFile && {
        audit: createAuditLog(config.audit.policy, { clock, random, sink: metrics.audited((line) => auditFile.write(line)) }),
      }),
      admission: metrics.timed(admission, () => clock.monotonic()),
      // A bare API server keeps kube-apiserver's default; a cluster with nodes runs device plugins and network agents, as kubeadm's do.
      allowPrivileged: config.parts.has('nodes'),
      allocators: { services: createServiceAllocator(nodePorts) },
      actions: { bindPod, evictPod, ...auth.actions },
      reviews: { bindings, ...auth.reviews },
      pages: auth.pages,
      connectors: kubernetesConnectors(deps.connectors),
    },
  )
  held.use(server)
  const components = definitions.byKind('', 'ComponentStatus')
  if (components !== undefined) for (const status of componentStatuses(config.parts)) server.tools.store.show(components, status)
  const customResources = new CustomResources({
    store: server.tools.store,
    watchCache,
    definitions,
    clock,
    random,
    log,
    client: webhooks,
    transport: () => server.transport({ name: 'system:apiserver', groups: [SYSTEM_MASTERS, 'system:authenticated'] }),
  })
  held.use(customResources)
  if (config.thirdPartyResources) held.defer(serveThirdPartyResources({ watchCache, definitions, random, client: webhooks }))
  await ensureBootstrap(
    {
      serviceCidr: config.serviceCidr,
      port: config.port === 0 ? 6443 : config.port,
      clientCa: certificates.ca.certificate,
      frontProxyCa: certificates.frontProxyCa.certificate,
    },
    {
      reader: watchCache.reader,
      definitions,
      transport: server.transport({ name: 'system:apiserver', groups: [SYSTEM_MASTERS, 'system:authenticated'] }),
      clock,
    },
  )
  held.defer(await keepBooks({ reader: watchCache.reader, writer: server.tools.store.writer, nodePorts, clock, log }))
  const all = held.move()
  return { server, watchCache, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }
}

/** Begins to open the store that the configuration asks for. */
export async function openStore(config: ClusterConfig, clock: Clock): Promise<Store> {
  if (config.dataDir === undefined) return openMemoryStore({}, { clock })
  return openSqliteStore({ folder: path.join(config.dataDir, 'store') }, { clock })
}
