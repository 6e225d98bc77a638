import { type Clock, microTimestamp, systemClock } from '../../base/clock.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { onAbort, orAborted } from '../../base/on-abort.ts'
import { pause } from '../../base/pause.ts'
import { type Random, systemRandom } from '../../base/random.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { LEASES } from '../../resources/refs.ts'
import type { Lease, LeaseSpec } from '../../resources/types/coordination.ts'
import type { Client } from '../client/client.ts'

/** The lease, the candidate, the durations, and what the leader does. */
export interface LeaderElectionOptions {
  readonly client: Client
  readonly lease: { readonly namespace: string; readonly name: string }
  /** The candidate's name. It must be unique: a host name with a random suffix is usual. */
  readonly identity: string
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Default: the machine's. */
  readonly random?: Random
  /** Default: no log. */
  readonly log?: Logger
  /** Others may take the lease this long after they saw it renewed. In milliseconds; longer than `renewDeadlineMs`. Default 15,000. */
  readonly leaseDurationMs?: number
  /** A leader steps down when its last renewal that succeeded was begun so long ago. In milliseconds. Default 10,000. */
  readonly renewDeadlineMs?: number
  /** The pause between two attempts (for candidates without the lease: up to 2.2 times as long). In milliseconds. Default 2,000. */
  readonly retryPeriodMs?: number
  /**
   * The leader's work, until its signal is aborted: after that it must change nothing any more, because another may lead 5 seconds later.
   * Its errors are thrown by `runWithLeaderElection`.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>
  /** Called when a new leader is observed: another identity, or this one. */
  readonly newLeader?: (identity: string) => void
}

/**
 * The result of an attempt: the lease is ours, or another candidate's; undefined: unknown (no response in time, or a write that came too
 * late).
 */
type Outcome = 'held' | 'others' | undefined

interface Candidate extends LeaderElectionOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
  /** The spec last seen, as text, and when it was seen to change by our own clock: clocks of others are not trusted. */
  readonly observed: { text: string; atMs: number; leader: string }
  /** Whether this candidate has sent a write: only then the lease may have to be released, whatever the response was. */
  readonly sent: { any: boolean }
}

/**
 * Competes for a lease and leads while it holds it. Resolves when leadership was lost or the signal was aborted, `lead` has ended and the
 * lease was released.
 *
 * There are never two leaders, whatever the network does, provided that `lead` stops when its signal is aborted: a renewal counts from
 * before its request, no attempt lasts longer than the remaining time, and clocks of different machines are never compared. longer than the
 * time that is left, and clocks of different machines are never compared.
 *
 * ```ts
 * await runWithLeaderElection({ client, lease: { namespace: 'default', name: 'gadgets' }, identity, lead: (signal) =>
 * runController(options, signal) }, signal)
 * ```
 * @throws {RangeError} if the three durations are inconsistent
 */
export async function runWithLeaderElection(options: LeaderElectionOptions, signal: AbortSignal): Promise<void> {
  const candidate = complete(options)
  const { log, lease } = candidate
  try {
    const acquiredMs = await acquire(candidate, signal)
    if (acquiredMs !== undefined) await leadFrom(acquiredMs, candidate, signal)
  } finally {
    const giveBack = within(candidate, candidate.renewDeadlineMs / 2, undefined, (limit) => release(candidate, limit))
    await giveBack.catch((error) => log.warn(`cannot give lease ${lease.namespace}/${lease.name} back`, { error }))
  }
}

function complete(options: LeaderElectionOptions): Candidate {
  const { clock = systemClock, random = systemRandom(), log = silentLogger } = options
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = options
  if (!(leaseDurationMs > renewDeadlineMs)) throw new RangeError('leaseDurationMs must be longer than renewDeadlineMs')
  if (!(renewDeadlineMs > 1.2 * retryPeriodMs && retryPeriodMs > 0))
    throw new RangeError('renewDeadlineMs must be longer than 1.2 times retryPeriodMs')
  const observed = { text: '', atMs: 0, leader: '' }
  return { ...options, clock, random, log, leaseDurationMs, renewDeadlineMs, retryPeriodMs, observed, sent: { any: false } }
}

/** Tries until the lease is ours: resolves with the time before the request that got it, or undefined when the signal was aborted. */
async function acquire(candidate: Candidate, signal: AbortSignal): Promise<number | undefined> {
  const { clock, random, retryPeriodMs, renewDeadlineMs } = candidate
  while (!signal.aborted) {
    const began = clock.monotonic()
    if ((await attempt(candidate, renewDeadlineMs / 2, signal)) === 'held') return began
    await pause(clock, retryPeriodMs * (1 + 1.2 * random.next()), signal)
  }
  return undefined
}

/** Leads, and renews beside it, until either ends. */
async function leadFrom(acquiredMs: number, candidate: Candidate, signal: AbortSignal): Promise<void> {
  const term = new AbortController()
  using _ = onAbort(signal, () => term.abort(signal.reason))
  const leading = (async () => candidate.lead(term.signal))().finally(() => term.abort())
  const renewing = renew(acquiredMs, candidate, term)
  const [led, renewed] = await Promise.allSettled([leading, renewing])
  for (const one of [led, renewed]) if (one.status === 'rejected') throw one.reason
}

async function renew(acquiredMs: number, candidate: Candidate, term: AbortController): Promise<void> {
  const { clock, retryPeriodMs, renewDeadlineMs } = candidate
  const lost = () => term.abort(new Error('the lease was lost'))
  // The deadline is a timer of its own: no attempt and no pause can delay it.
  let deadline = clock.after(acquiredMs + renewDeadlineMs - clock.monotonic(), lost)
  while (!term.signal.aborted) {
    await pause(clock, retryPeriodMs, term.signal)
    if (term.signal.aborted) break
    const began = clock.monotonic()
    const outcome = await attempt(candidate, renewDeadlineMs / 2, term.signal)
    if (outcome === 'others') lost()
    if (outcome !== 'held' || term.signal.aborted) continue
    deadline()
    deadline = clock.after(began + renewDeadlineMs - clock.monotonic(), lost)
  }
  deadline()
}

/** One attempt, within a time limit: a later result is ignored. */
async function attempt(candidate: Candidate, limitMs: number, signal: AbortSignal): Promise<Outcome> {
  try {
    return await within(candidate, limitMs, signal, (limit) => acquireOrRenew(candidate, limit))
  } catch (error) {
    const { lease, log } = candidate
    if (!signal.aborted && !isStatus(error, 'Conflict', 'AlreadyExists'))
      log.warn(`cannot write lease ${lease.namespace}/${lease.name}`, { error })
    return undefined
  }
}

async function acquireOrRenew(candidate: Candidate, signal: AbortSignal): Promise<Outcome> {
  const { client, lease, identity, clock, leaseDurationMs, observed, sent } = candidate
  const target = { ...LEASES, ...lease }
  const now = microTimestamp(clock.now())
  const fresh: LeaseSpec = {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 0,
  }
  const current = await currentLease(candidate, signal)
  signal.throwIfAborted()
  if (current === undefined) {
    const { name: _name, ...collection } = target
    const object: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...lease }, spec: fresh }
    sent.any = true
    await client.create(collection, object, { signal })
    signal.throwIfAborted()
    note(candidate, fresh)
    return 'held'
  }
  const spec: LeaseSpec = current.spec ?? {}
  if (JSON.stringify(spec) !== observed.text) note(candidate, spec)
  const held = (spec.holderIdentity ?? '') !== ''
  const mine = spec.holderIdentity === identity
  const validMs = (spec.leaseDurationSeconds ?? leaseDurationMs / 1000) * 1000
  if (held && !mine && observed.atMs + validMs > clock.monotonic()) return 'others'
  const next: LeaseSpec = mine
    ? { ...fresh, acquireTime: spec.acquireTime ?? now, leaseTransitions: spec.leaseTransitions ?? 0 }
    : { ...fresh, leaseTransitions: (spec.leaseTransitions ?? 0) + 1 }
  sent.any = true
  await client.update(target, { ...current, spec: next }, { signal })
  signal.throwIfAborted()
  note(candidate, next)
  return 'held'
}

async function currentLease({ client, lease }: Candidate, signal: AbortSignal): Promise<Readonly<Lease> | undefined> {
  return client.get({ ...LEASES, ...lease }, { signal }).catch(ignoring('NotFound'))
}

function note({ observed, clock, newLeader }: Candidate, spec: LeaseSpec): void {
  observed.text = JSON.stringify(spec)
  observed.atMs = clock.monotonic()
  const leader = spec.holderIdentity ?? ''
  const news = leader !== observed.leader && leader !== ''
  observed.leader = leader
  if (news) newLeader?.(leader)
}

/** Releases the lease if it is ours; also after an attempt without a response. */
async function release(candidate: Candidate, signal: AbortSignal): Promise<void> {
  const { client, clock, lease, identity, sent } = candidate
  if (!sent.any) return
  const current = await currentLease(candidate, signal)
  // The response to an old request may show a lease that a later term has taken.
  signal.throwIfAborted()
  const spec: LeaseSpec = current?.spec ?? {}
  if (current === undefined || spec.holderIdentity !== identity) return
  const now = microTimestamp(clock.now())
  const { leaseTransitions = 0 } = spec
  const next = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions }
  await client.update({ ...LEASES, ...lease }, { ...current, spec: next }, { signal })
}

/** Runs the work under its own signal. Rejects when the time is over or `signal` is aborted, whether the work reacts to it or not. */
async function within<T>(
  { clock }: Candidate,
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = limitedSignal(clock, limitMs, { parent: signal, reason: () => new Error(`no answer within ${limitMs} ms`) })
  return await orAborted(work(limit.signal), limit.signal)
}
