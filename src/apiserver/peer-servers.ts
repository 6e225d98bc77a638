import type { JsonObject } from '../machinery/object.ts'
import type { DelegateServer } from './delegate-server.ts'

export interface ResourceName {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** Other servers of the same objects, which may know resources that this one does not: one of them is newer (KEP-4020). */
export interface PeerServers {
  /** Forwards to a server of a resource that this one does not have; undefined: none has it. */
  of(resource: ResourceName): DelegateServer | undefined
  /** Counts changes of what `joined` returns for the same groups. */
  readonly generation: number
  /** This server's groups (`APIGroupDiscovery`), and what other servers have beside them. */
  joined(groups: readonly JsonObject[]): readonly JsonObject[]
}

/** `true` in a request that a peer has forwarded: it is not forwarded again. */
export const PEER_PROXIED = 'x-kubernetes-peer-proxied'
