import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { DelegateServer } from '../../apiserver/delegate-server.ts'
import type { PeerServers, ResourceName } from '../../apiserver/peer-servers.ts'
import type { Cancel, Clock } from '../../base/clock.ts'
import { hostPort } from '../../base/http/host-port.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Random } from '../../base/random.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { listObjects, onChangeOf } from '../../resources/read-objects.ts'
import { LEASES } from '../../resources/refs.ts'
import type { Lease } from '../../resources/types/coordination.ts'
import type { IsIdentity } from '../aggregation/forward-headers.ts'
import { isIdentityLease } from '../kubernetes-service/identity-lease.ts'
import { type Connections, createConnections } from '../services/connections.ts'
import { type DialTls, dial, secureContextOf } from '../services/dial.ts'
import { entriesOf, groupName } from './discovery-entries.ts'
import { joinGroups } from './join-groups.ts'
import { OwnVersions } from './own-versions.ts'
import type { PeerAddress, PeerAddresses } from './peer-addresses.ts'
import { PeerProxy } from './peer-proxy.ts'
import { type PeerDiscovery, readPeer } from './read-peer.ts'

export interface PeersConfig {
  /** This server's. */
  readonly identity: string
  /** The authorities of the other servers, and this server's certificate as a front proxy, as they are now. */
  readonly tls: () => Pick<DialTls, 'ca' | 'client'>
  /** Headers of clients that must not reach others. */
  readonly isIdentity: IsIdentity
}

export interface PeersDeps {
  readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
  readonly addresses: Pick<PeerAddresses, 'of'>
  readonly clock: Clock
  /** For time limits on the wire. */
  readonly socketClock: Clock
  readonly random: Random
  readonly log: Logger
}

const NAMESPACE = 'kube-system'
/** In the certificates of all servers. */
const SERVER_NAME = 'kubernetes.default.svc'
/** A server that cannot be asked is asked again: after the first time, and at most. */
const RETRY_MS = 500
const MOST_RETRY_MS = 30_000

/** The other servers of the same objects, and what they serve. They are asked when one starts, is started again, or ends. */
export class Peers implements PeerServers, AsyncDisposable {
  readonly #config: PeersConfig
  readonly #deps: PeersDeps
  readonly #own: OwnVersions
  readonly #connections = new Map<string, Connections>()
  #known: ReadonlyMap<string, PeerDiscovery> = new Map()
  #generation = 0
  #reading: Promise<void> | undefined
  /** A lease has changed since the last reading began. */
  #changed = false
  #retryMs = RETRY_MS
  #cancelRetry: Cancel | undefined
  #closed = false

  constructor(config: PeersConfig, deps: PeersDeps) {
    this.#config = config
    this.#deps = deps
    const { watchCache, clock } = deps
    this.#own = new OwnVersions({ watchCache, clock, changed: () => this.#generation++ })
    onChangeOf(watchCache, LEASES, (lease, old) => {
      if (!this.#isPeer(lease ?? old)) return
      if (lease?.spec?.holderIdentity !== old?.spec?.holderIdentity) this.#refresh()
    })
    this.#refresh()
  }

  get generation(): number {
    return this.#generation
  }

  of({ group, version, resource }: ResourceName): DelegateServer | undefined {
    if (this.#own.all.has(`${group}/${version}`)) return undefined
    const name = `${group}/${version}/${resource}`
    const identities = [...this.#known].filter(([, { resources }]) => resources.has(name)).map(([identity]) => identity)
    if (identities.length === 0) return undefined
    const { clock, random } = this.#deps
    return new PeerProxy(identities, { clock, random, reach: (identity) => this.#reach(identity) })
  }

  joined(groups: readonly JsonObject[]): readonly JsonObject[] {
    const own = this.#own.all
    return joinGroups([groups, ...[...this.#known.values()].map((peer) => peer.groups.flatMap((group) => without(group, own)))])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#cancelRetry?.()
    this.#own[Symbol.dispose]()
    for (const connections of this.#connections.values()) connections[Symbol.dispose]()
    await this.#reading
  }

  #isPeer(lease: Lease | undefined): boolean {
    return lease !== undefined && isIdentityLease(lease) && lease.metadata.name !== this.#config.identity
  }

  /** Asks all others again; one reading at a time. */
  #refresh(): void {
    this.#changed = true
    this.#reading ??= this.#readWhileChanged().finally(() => {
      this.#reading = undefined
    })
  }

  async #readWhileChanged(): Promise<void> {
    while (this.#changed && !this.#closed) {
      this.#changed = false
      this.#cancelRetry?.()
      const leases = listObjects(this.#deps.watchCache.reader, LEASES, NAMESPACE).filter((lease) => this.#isPeer(lease))
      const identities = leases.map(({ metadata }) => metadata.name ?? '')
      const all = await Promise.all(identities.map(async (identity) => [identity, await this.#read(identity)] as const))
      if (this.#closed) return
      this.#known = new Map(all.filter((one): one is [string, PeerDiscovery] => one[1] !== undefined))
      this.#generation++
      if (this.#known.size < all.length) this.#retryLater()
      else this.#retryMs = RETRY_MS
    }
  }

  /** A server writes its identity before its address, and answers later still. */
  #retryLater(): void {
    this.#cancelRetry = this.#deps.clock.after(this.#retryMs, () => this.#refresh())
    this.#retryMs = Math.min(this.#retryMs * 2, MOST_RETRY_MS)
  }

  async #read(identity: string): Promise<PeerDiscovery | undefined> {
    const { socketClock, log } = this.#deps
    try {
      const to = await this.#reach(identity)
      return to && (await readPeer(to.connections, to.host, socketClock))
    } catch (error) {
      log.warn('what another server serves could not be read', { server: identity, error: messageOf(error) })
      return undefined
    }
  }

  async #reach(identity: string) {
    const address = await this.#deps.addresses.of(identity)
    if (address === undefined) return undefined
    return { connections: this.#connectionsTo(address), host: hostPort(address.host, address.port), isIdentity: this.#config.isIdentity }
  }

  #connectionsTo(address: PeerAddress): Connections {
    const key = hostPort(address.host, address.port)
    const known = this.#connections.get(key)
    if (known !== undefined) return known
    for (const [other, connections] of this.#connections)
      if (connections.active === 0) {
        connections[Symbol.dispose]()
        this.#connections.delete(other)
      }
    const { socketClock: clock } = this.#deps
    const connections = createConnections({
      dial: (protocols) => {
        const tls: DialTls = { ...this.#config.tls(), insecure: false, servername: SERVER_NAME }
        return dial({ target: { kind: 'address', ...address }, tls, context: secureContextOf(tls), protocols, clock })
      },
      clock,
    })
    this.#connections.set(key, connections)
    return connections
  }
}

/** A group of discovery without these versions. */
function without(group: JsonObject, versions: ReadonlySet<string>): readonly JsonObject[] {
  const left = entriesOf(group.versions).filter(({ version }) => !versions.has(`${String(groupName(group))}/${String(version)}`))
  return left.length === 0 ? [] : [{ ...group, versions: left }]
}
