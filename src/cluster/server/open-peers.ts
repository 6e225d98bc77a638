import { hostname } from 'node:os'
import { systemClock } from '../../base/clock.ts'
import { identityNames } from '../../server/aggregation/forward-headers.ts'
import { serverIdentity } from '../../server/kubernetes-service/server-identity.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { sharedEtcd } from '../../server/options/storage.ts'
import { PeerAddresses } from '../../server/peers/peer-addresses.ts'
import { Peers } from '../../server/peers/peers.ts'
import type { Caches } from './open-caches.ts'
import type { PhaseDeps } from './server-part-deps.ts'

/** The other servers of the same etcd; undefined: nothing is forwarded to them. */
export function openPeers(options: ServerOptions, { store, watchCache }: Caches, deps: PhaseDeps): Peers | undefined {
  const { ca } = options.peers
  const { proxyClient, frontProxy } = options.aggregation
  if (ca === undefined || sharedEtcd(options.storage) === undefined) return undefined
  const { clock, random, log, held, socketClock = systemClock } = deps
  const client = () => proxyClient && { certificate: proxyClient.cert.current(), key: proxyClient.key.current() }
  const tls = () => {
    const own = client()
    return { ca: ca.current(), ...(own && { client: own }) }
  }
  return held.use(
    new Peers(
      { identity: serverIdentity(deps.hostname ?? hostname()), tls, isIdentity: identityNames(frontProxy) },
      { watchCache, addresses: new PeerAddresses(store), clock, socketClock, random, log },
    ),
  )
}
