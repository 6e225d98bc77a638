import type { Endpoints } from '../../resources/types/core.ts'
import type { Store } from '../../storage/store.ts'

/** Where a server can be reached. */
export interface PeerAddress {
  readonly host: string
  readonly port: number
}

/** The key prefix of the servers' addresses, as in kube-apiserver. Outside of all objects. */
const PREFIX = '/peerserverleases/'
const LABEL = 'apiserverIdentity'
/** How long an address lives after its last renewal. */
const LEASE_MS = 15_000

/** The addresses of the servers that share a store, by their identities. */
export class PeerAddresses {
  readonly #store: Pick<Store, 'get' | 'commit'>

  constructor(store: Pick<Store, 'get' | 'commit'>) {
    this.#store = store
  }

  async renew(identity: string, { host, port }: PeerAddress): Promise<void> {
    const present = await this.#store.get(PREFIX + identity)
    const generation = (present === undefined ? 0 : (endpointsIn(present.value).metadata?.generation ?? 0)) + 1
    const endpoints: Endpoints = {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { generation, labels: { [LABEL]: identity } },
      subsets: [{ addresses: [{ ip: host }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    }
    const expect = present === undefined ? { absent: true as const } : { revision: present.revision }
    // A conflict means another server with the same identity: then the address is there.
    await this.#store.commit({ key: PREFIX + identity, expect, value: Buffer.from(JSON.stringify(endpoints)), ttlMs: LEASE_MS })
  }

  async leave(identity: string): Promise<void> {
    const present = await this.#store.get(PREFIX + identity)
    if (present !== undefined) await this.#store.commit({ key: present.key, expect: { revision: present.revision }, value: undefined })
  }

  /** Undefined: the server is gone, or has not written its address yet. */
  async of(identity: string): Promise<PeerAddress | undefined> {
    const present = await this.#store.get(PREFIX + identity)
    const subset = present && endpointsIn(present.value).subsets?.[0]
    const host = subset?.addresses?.[0]?.ip
    const port = subset?.ports?.[0]?.port
    return host === undefined || port === undefined ? undefined : { host, port }
  }
}

const endpointsIn = (value: Uint8Array) => JSON.parse(Buffer.from(value).toString()) as Endpoints
