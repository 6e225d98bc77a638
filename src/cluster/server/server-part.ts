import { hostname } from 'node:os'
import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { ApiServer } from '../../apiserver/server.ts'
import { HeldResources } from '../../base/collections/held-resources.ts'
import { hostPort } from '../../base/http/host-port.ts'
import { canBeEndpoint } from '../../server/kubernetes-service/advertised-address.ts'
import { keepIdentityLease } from '../../server/kubernetes-service/identity-lease.ts'
import { keepKubernetesService } from '../../server/kubernetes-service/maintain-service.ts'
import { sharedAddresses, soleAddress } from '../../server/kubernetes-service/server-addresses.ts'
import { serverIdentity } from '../../server/kubernetes-service/server-identity.ts'
import { joinedUpkeep, type Upkeep } from '../../server/kubernetes-service/upkeep.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { sharedEtcd } from '../../server/options/storage.ts'
import { keepAddress } from '../../server/peers/keep-address.ts'
import { type PeerAddress, PeerAddresses } from '../../server/peers/peer-addresses.ts'
import type { Store } from '../../storage/store.ts'
import { type Bootstrap, beginBootstrap } from './begin-bootstrap.ts'
import { createPartServer } from './create-part-server.ts'
import { openAdmission } from './open-admission.ts'
import { type Caches, openCaches } from './open-caches.ts'
import { openExtensions } from './open-extensions.ts'
import { openIdentity } from './open-identity.ts'
import { openLateParts } from './open-late-parts.ts'
import { openObservation } from './open-observation.ts'
import { createOwnCalls, type OwnCalls } from './own-calls.ts'
import type { PhaseDeps, ServerPartDeps } from './server-part-deps.ts'

/** Where a server is reached. */
export interface ServerEndpoint {
  /** Undefined: it has no address for others. */
  readonly address: string | undefined
  /** Undefined: it does not listen yet. */
  port(): number | undefined
}

export interface ServerPart extends AsyncDisposable {
  readonly store: Store
  readonly server: ApiServer
  readonly watchCache: WatchCache
  readonly definitions: ResourceRegistry
  /**
   * The service `kubernetes` with its endpoints (without an address it has none), and the server's identity lease and address for others
   * where several servers may share the store.
   */
  upkeep(endpoint: ServerEndpoint): Upkeep
}

/** Store, watch cache and API server, wired; nothing listens yet. Each phase takes the results of the phases before it. */
export async function openServerPart(options: ServerOptions, given: ServerPartDeps): Promise<ServerPart> {
  await using held = new HeldResources()
  const deps: PhaseDeps = { ...given, held }
  const { unusualGates } = options.features
  if (unusualGates.length > 0) deps.log.warn('features stay as they are by default', { requested: unusualGates })
  const { own, connect } = createOwnCalls()

  const caches = await openCaches(options, deps)
  const bootstrap = beginBootstrap(options, caches, deps)
  const observed = { ...caches, own, ...(await openObservation(options, caches, deps)) }
  const identified = { ...observed, ...(await openIdentity(options, observed, deps)) }
  const extended = { ...identified, ...openExtensions(options, observed, deps) }
  const admission = await openAdmission(options, extended, deps)
  const created = createPartServer(options, { ...extended, admission }, deps)
  connect(created.server)
  await openLateParts(options, { ...extended, ...created, bootstrap }, deps)

  const all = held.move()
  return {
    ...caches,
    server: created.server,
    upkeep: (endpoint) => upkeepAt(endpoint, options, { ...caches, own, bootstrap, deps }),
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

function upkeepAt(
  endpoint: ServerEndpoint,
  options: ServerOptions,
  parts: Caches & { readonly own: OwnCalls; readonly bootstrap: Bootstrap; readonly deps: ServerPartDeps },
): Upkeep {
  const { address } = endpoint
  const { network, storage } = options
  const { store, definitions, watchCache, own, bootstrap, deps } = parts
  const isEndpoint = address !== undefined && network.reconcileEndpoints && canBeEndpoint(address)
  const addressesOf = storage.etcd === undefined ? soleAddress : (at: string) => sharedAddresses(store, at)
  const { clock, random, log } = deps
  const { reader } = watchCache
  const service = keepKubernetesService(bootstrap.config, {
    reader,
    definitions,
    transport: own.transport(),
    addresses: isEndpoint ? addressesOf(address) : undefined,
    port: () => endpoint.port() ?? bootstrap.config.port,
    log,
  })
  if (sharedEtcd(storage) === undefined) return joinedUpkeep([service], clock)
  const name = deps.hostname ?? hostname()
  const peer = peerAddressOf(endpoint, options.peers)
  const peerAddress = peer && hostPort(peer.host, peer.port)
  const lease = keepIdentityLease(name, { reader, transport: own.transport(), clock, random, log, peerAddress })
  const kept = peer && keepAddress({ identity: serverIdentity(name), address: peer }, new PeerAddresses(store), log)
  return joinedUpkeep([service, lease, ...(kept ? [kept] : [])], clock)
}

/** Where other servers reach this one; undefined: it is not known. */
function peerAddressOf({ address, ...endpoint }: ServerEndpoint, { advertise }: ServerOptions['peers']): PeerAddress | undefined {
  const port = endpoint.port()
  return advertise ?? (address === undefined || port === undefined ? undefined : { host: address, port })
}
