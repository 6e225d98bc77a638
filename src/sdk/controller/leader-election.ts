import { type Clock, microTimestamp } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../client/client.ts'
import { LEASES } from '../client/refs.ts'

export interface LeaderElectionOptions {
  readonly client: Client
  readonly lease: { readonly namespace: string; readonly name: string }
  readonly identity: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Others may take the lease this long after its last renewal. Default 15 s. */
  readonly leaseDurationMs?: number
  /** A leader that cannot renew for this long steps down. Default 10 s. */
  readonly renewDeadlineMs?: number
  /** Default 2 s. */
  readonly retryPeriodMs?: number
  /** What the leader does, until its signal is aborted. */
  readonly lead: (signal: AbortSignal) => Promise<void>
  /** Told whenever another identity is seen to lead. */
  readonly newLeader?: (identity: string) => void
}

interface LeaseSpec {
  holderIdentity?: string
  leaseDurationSeconds?: number
  acquireTime?: string
  renewTime?: string
  leaseTransitions?: number
}

interface Observed {
  /** The spec last seen, as text, and when it was seen to change by our own clock: clocks of others are not trusted. */
  text: string
  at: number
  leader: string
}

/** Competes for a lease and leads while holding it; returns when leadership is lost or the signal is aborted, giving the lease back. */
export async function runWithLeaderElection(options: LeaderElectionOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, retryPeriodMs = 2000, renewDeadlineMs = 10_000, log = silentLogger } = options
  const observed: Observed = { text: '', at: 0, leader: '' }
  const attempt = async (): Promise<boolean> => {
    try {
      return await tryAcquireOrRenew(options, observed)
    } catch (error) {
      if (!isStatus(error, 'Conflict', 'AlreadyExists'))
        log.warn(`cannot write lease ${options.lease.namespace}/${options.lease.name}`, { error })
      return false
    }
  }
  while (!(await attempt())) {
    if (signal.aborted) return
    await clock.sleep(retryPeriodMs * (1 + 1.2 * random.next()), signal).catch(() => {})
    if (signal.aborted) return
  }
  const term = new AbortController()
  const end = () => term.abort(signal.reason)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const leading = options.lead(term.signal).finally(() => term.abort())
  let renewedAt = clock.monotonic()
  while (!term.signal.aborted) {
    await clock.sleep(retryPeriodMs, term.signal).catch(() => {})
    if (term.signal.aborted) break
    if (await attempt()) renewedAt = clock.monotonic()
    else if (clock.monotonic() - renewedAt >= renewDeadlineMs || observed.leader !== options.identity)
      term.abort(new Error('the lease was lost'))
  }
  signal.removeEventListener('abort', end)
  await leading
  await release(options).catch((error) => log.warn('cannot give the lease back', { error }))
}

async function tryAcquireOrRenew(options: LeaderElectionOptions, observed: Observed): Promise<boolean> {
  const { client, lease, identity, clock, leaseDurationMs = 15_000 } = options
  const target = { ...LEASES, ...lease }
  const now = microTimestamp(clock.now())
  const fresh: LeaseSpec = {
    holderIdentity: identity,
    leaseDurationSeconds: Math.floor(leaseDurationMs / 1000),
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 0,
  }
  let current: Readonly<KubeObject>
  try {
    current = await client.get(target)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
    const { name: _name, ...collection } = target
    await client.create(collection, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...lease }, spec: fresh })
    note(options, observed, fresh)
    return true
  }
  const spec: LeaseSpec = current.spec ?? {}
  if (JSON.stringify(spec) !== observed.text) note(options, observed, spec)
  const held = (spec.holderIdentity ?? '') !== ''
  const mine = spec.holderIdentity === identity
  const validMs = (spec.leaseDurationSeconds ?? leaseDurationMs / 1000) * 1000
  if (held && !mine && observed.at + validMs > clock.monotonic()) return false
  const next: LeaseSpec = mine
    ? { ...fresh, acquireTime: spec.acquireTime ?? now, leaseTransitions: spec.leaseTransitions ?? 0 }
    : { ...fresh, leaseTransitions: (spec.leaseTransitions ?? 0) + 1 }
  await client.update(target, { ...current, spec: next })
  note(options, observed, next)
  return true
}

function note(options: LeaderElectionOptions, observed: Observed, spec: LeaseSpec): void {
  observed.text = JSON.stringify(spec)
  observed.at = options.clock.monotonic()
  const leader = spec.holderIdentity ?? ''
  if (leader !== observed.leader && leader !== '') options.newLeader?.(leader)
  observed.leader = leader
}

async function release(options: LeaderElectionOptions): Promise<void> {
  const target = { ...LEASES, ...options.lease }
  const current = await options.client.get(target)
  const spec: LeaseSpec = current.spec ?? {}
  if (spec.holderIdentity !== options.identity) return
  const now = microTimestamp(options.clock.now())
  const next = {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: spec.leaseTransitions ?? 0,
  }
  await options.client.update(target, { ...current, spec: next })
}
