import { PEER_PROXIED } from '../../apiserver/peer-servers.ts'
import type { Clock } from '../../base/clock.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import { decodeJsonInTurns } from '../../machinery/json/strict-json.ts'
import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { identityHeaders } from '../aggregation/forward-headers.ts'
import { type Connections, wholeOf } from '../services/connections.ts'
import { lateError, NetworkError } from '../services/network-error.ts'
import { entriesOf, groupName } from './discovery-entries.ts'

/** What another server serves itself. */
export interface PeerDiscovery {
  /** `GROUP/VERSION/RESOURCE` of each. */
  readonly resources: ReadonlySet<string>
  /** Without the core group, which discovery shows at a path of its own. */
  readonly groups: readonly JsonObject[]
}

const TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
/** A server that does not know of peers shows its own resources anyway. */
const ACCEPT = `${TYPE};profile=nopeer,${TYPE}`
/** As this server: `system:apiserver` may read discovery. */
const SELF = { name: 'system:apiserver', uid: 'system:apiserver', groups: ['system:authenticated'] }
const TIMEOUT_MS = 5_000
const MOST_BYTES = 8 * 1024 * 1024

/** `host:port` is the server's. @throws {NetworkError} */
export async function readPeer(connections: Pick<Connections, 'send'>, host: string, clock: Clock): Promise<PeerDiscovery> {
  const [core, groups] = await Promise.all(['/api', '/apis'].map((path) => read(path)))
  const all = [...(core ?? []), ...(groups ?? [])]
  return { resources: new Set(all.flatMap(resourcesOf)), groups: groups ?? [] }

  async function read(path: string): Promise<readonly JsonObject[]> {
    using limit = limitedSignal(clock, TIMEOUT_MS, { reason: lateError })
    const headers = { Accept: ACCEPT, ...identityHeaders(SELF), [PEER_PROXIED]: 'true' }
    const { status, body } = await connections.send({ method: 'GET', target: path, host, headers, signal: limit.signal })
    const bytes = await wholeOf(body, MOST_BYTES)
    if (status !== 200) throw new NetworkError('unreachable', `${path} was answered with ${status}`)
    const { value } = await decodeJsonInTurns(bytes)
    return isObject(value) ? entriesOf(value.items) : []
  }
}

const resourcesOf = (group: JsonObject): string[] =>
  entriesOf(group.versions).flatMap(({ version, resources }) =>
    entriesOf(resources).map(({ resource }) => `${textIn(groupName(group))}/${textIn(version)}/${textIn(resource)}`),
  )

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
