import type { ServerTools } from '../../apiserver/extension-points.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Random } from '../../base/random.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { listObjects, readObject } from '../../resources/read-objects.ts'
import { LEASES } from '../../resources/refs.ts'
import type { Lease } from '../../resources/types/coordination.ts'
import { serverIdentity } from './server-identity.ts'
import type { Upkeep } from './upkeep.ts'

export interface IdentityLeaseDeps {
  readonly reader: Reader
  /** A transport to the server, as a member of system:masters. */
  readonly transport: ReturnType<ServerTools['transport']>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** `host:port` at which other servers reach this one; undefined: it is not known. */
  readonly peerAddress: string | undefined
}

const NAMESPACE = 'kube-system'
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity'
const PEER_ADDRESS = 'kubernetes.io/peer-advertise-address'
const PROGRAM = 'kube-apiserver'
const QUERY = { fieldManager: PROGRAM }
/** As in kube-apiserver: how long a lease lasts, and how often those of lost servers are looked for. */
const DURATION_S = 3600
const CLEANUP_MS = 3_600_000

/**
 * A server's Lease in kube-system, by which others see which servers run. Each server renews its own, deletes it when it stops, and deletes
 * those of servers that were lost.
 */
export function keepIdentityLease(hostname: string, deps: IdentityLeaseDeps): Pick<Upkeep, 'sync' | 'leave'> {
  const { reader, transport, clock, random, log, peerAddress } = deps
  const name = serverIdentity(hostname)
  const holderIdentity = `${name}_${random.uuid()}`
  let cleanedAtMs = Number.NEGATIVE_INFINITY

  const desired = (present: Lease | undefined): Lease => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...present?.metadata,
      name,
      namespace: NAMESPACE,
      labels: { ...present?.metadata.labels, [IDENTITY_LABEL]: PROGRAM, 'kubernetes.io/hostname': hostname },
      ...(peerAddress !== undefined && { annotations: { ...present?.metadata.annotations, [PEER_ADDRESS]: peerAddress } }),
    },
    spec: { ...present?.spec, holderIdentity, leaseDurationSeconds: DURATION_S, renewTime: microTime(clock.now()) },
  })

  async function renew(): Promise<void> {
    const present = readObject(reader, LEASES, NAMESPACE, name)
    const body = desired(present)
    if (present === undefined) await transport.call({ verb: 'create', target: { ...LEASES, namespace: NAMESPACE }, query: QUERY, body })
    else await transport.call({ verb: 'update', target: { ...LEASES, namespace: NAMESPACE, name }, query: QUERY, body })
  }

  async function remove(lease: string): Promise<void> {
    // Another server was faster.
    await transport
      .call({ verb: 'delete', target: { ...LEASES, namespace: NAMESPACE, name: lease }, query: {} })
      .catch(ignoring('NotFound'))
  }

  async function cleanUp(): Promise<void> {
    if (clock.monotonic() - cleanedAtMs < CLEANUP_MS) return
    cleanedAtMs = clock.monotonic()
    for (const lease of listObjects(reader, LEASES, NAMESPACE))
      if (isIdentityLease(lease) && hasExpired(lease, clock.now())) await remove(lease.metadata.name ?? '')
  }

  const logged = (work: Promise<void>, what: string) => work.catch((error: unknown) => log.warn(what, { error: messageOf(error) }))
  return {
    sync: () => logged(renew().then(cleanUp), 'unable to renew the lease of this server'),
    leave: () => logged(remove(name), 'the lease of this server is still there'),
  }
}

/** Whether a lease is that of a server. */
export const isIdentityLease = ({ metadata }: Lease): boolean =>
  metadata.namespace === NAMESPACE && metadata.labels?.[IDENTITY_LABEL] === PROGRAM

function hasExpired({ spec }: Lease, nowMs: number): boolean {
  if (spec?.renewTime === undefined || spec.leaseDurationSeconds === undefined) return true
  return Date.parse(spec.renewTime) + spec.leaseDurationSeconds * 1000 < nowMs
}

const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')
