import { type Clock, systemClock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { onAbort } from '../../base/on-abort.ts'
import { quiet } from '../../base/quiet.ts'
import { type Random, systemRandom } from '../../base/random.ts'
import type { Client } from '../client/client.ts'
import { countingClient } from '../client/counting-client.ts'
import { ControllerActivities } from '../controller/controller-activity.ts'
import { createCoreRecorder } from '../controller/core-recorder.ts'
import type { EventRecorder } from '../controller/event-recorder.ts'
import { type LeaderElectionOptions, runWithLeaderElection } from '../controller/leader-election.ts'
import type { Controller } from './controller.ts'
import { type EndpointsConfig, openEndpoints } from './endpoints.ts'
import type { MetricsRegistry } from './metrics.ts'
import { OperatorError } from './operator-error.ts'
import { createOperatorMetrics, type OperatorMetrics } from './operator-metrics.ts'
import { publishReports } from './publish-reports.ts'
import { runControllerPart } from './run-controller-part.ts'
import { createSharedCaches, type SharedCaches } from './shared-caches.ts'

/** Which lease a manager competes for. */
export type ManagerLease = Pick<LeaderElectionOptions, 'lease' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'> & {
  /** The candidate's name, which must be unique. Default: the host name with a random suffix. */
  readonly identity?: string
}

/** What a manager is made of. */
export interface ManagerConfig {
  readonly client: Client
  readonly controllers: readonly Controller[]
  /** Look at this namespace only. Default: all, where the permissions must be a ClusterRole's. */
  readonly namespace?: string
  /** Only one process of several works at a time. Default: every process works. */
  readonly leaderElection?: ManagerLease
  /** Ports for probes and metrics. Default: none is opened. */
  readonly endpoints?: EndpointsConfig
  /** The time limit for reconciliations after the signal was aborted, in milliseconds. Default 30,000. */
  readonly gracefulStopMs?: number
  /** The registry for the manager's metrics and your own. Default: a new one. */
  readonly metrics?: MetricsRegistry
  /** Why it is not ready, for `/readyz`; undefined when it is. Default: it is ready when the caches have synced. */
  readonly notReady?: () => string | undefined
  /**
   * Tells a cluster of `bowsprit up` what the controllers do: their keys, and of the last reconciliations the event, the plan and the
   * writes, for its page and `kubectl get controllerreports`. Needs the right to create these; on other clusters it does nothing.
   * Default false.
   */
  readonly reports?: boolean
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Default: the machine's. */
  readonly random?: Random
  /** Default: no log. */
  readonly log?: Logger
}

/** Controllers of one process, with what they share. */
export interface Manager {
  /**
   * Runs until the signal is aborted, then stops in order: reconciliations end, the lease is given back, events are sent. Called once.
   * @throws {Error} when leadership was lost, a port cannot be had, or a reconciliation did not end in time
   */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when the copies are complete and the controllers work (as leader, where one is elected). */
  readonly working: Promise<void>
  /** Why it is not ready; undefined when it is. */
  notReady(): string | undefined
  /** The text of `/metrics`. */
  metricsText(): string
  /** Where probes and metrics are, while it runs with `endpoints`. */
  readonly addresses: { readonly health?: string; readonly metrics?: string }
}

/**
 * Makes a manager; `run` starts it.
 *
 * ```ts
 * const manager = createManager({ client, controllers: [controller({ for: kinds.CONFIG_MAP, reconcile: () => undefined })] })
 * await manager.run(signal)
 * ```
 * @throws {Error} when two controllers have the same name
 */
export function createManager(config: ManagerConfig): Manager {
  const { clock = systemClock, random = systemRandom(), log = silentLogger } = config
  const names = config.controllers.map((c) => c.name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new OperatorError('bad-definition', `two controllers are called ${twice}: give one another \`name\``)
  const metrics = createOperatorMetrics(config.metrics)
  const client = countingClient(config.client, (method, code) => metrics.called(method, code, 'apiserver'), clock)
  const caches = createSharedCaches(config.controllers, { client, clock, random, log, namespace: config.namespace })
  const working = Promise.withResolvers<void>()
  void quiet(working.promise, 'it may fail before it is awaited')
  const place: RunningManager = {
    config: { ...config, clock, random, log },
    client,
    caches,
    metrics,
    working: working.resolve,
    addresses: {},
  }
  const notReady = () => {
    const waiting = caches.all.find((c) => !c.informer.hasSynced)
    return waiting === undefined ? config.notReady?.() : `the copy of ${waiting.kind.plural} is not complete`
  }
  return {
    async run(signal) {
      try {
        await run(place, notReady, signal)
      } finally {
        working.reject(new Error('the manager has ended'))
      }
    },
    working: working.promise,
    notReady,
    metricsText: () => metrics.registry.text(),
    get addresses() {
      return place.addresses
    },
  }
}

interface RunningManager {
  readonly config: ManagerConfig & { readonly clock: Clock; readonly random: Random; readonly log: Logger }
  readonly client: Client
  readonly caches: SharedCaches
  readonly metrics: OperatorMetrics
  readonly working: () => void
  addresses: Manager['addresses']
}

async function run(place: RunningManager, notReady: () => string | undefined, signal: AbortSignal): Promise<void> {
  const { config, client, caches, metrics } = place
  const { clock, log } = config
  await using endpoints = await openEndpoints(config.endpoints ?? {}, { notReady, metrics: () => metrics.registry.text() })
  place.addresses = endpoints.addresses
  // Caches and events outlive the controllers, which may still read and record when they stop.
  const rest = new AbortController()
  const component = config.controllers.length === 1 ? (config.controllers[0]?.name ?? '') : 'manager'
  const recorder = createCoreRecorder({ client, clock, component, log })
  const beside = [recorder.run(rest.signal), ...caches.all.map((c) => c.run(rest.signal))]
  try {
    const synced = Promise.all(caches.all.map((c) => c.informer.synced))
    const lead = async (term: AbortSignal) => {
      if (!(await before(synced, term))) return
      await work(place, recorder, term)
    }
    if (config.leaderElection === undefined) await lead(signal)
    else await leading(place, config.leaderElection, lead, signal)
  } finally {
    rest.abort()
    await Promise.all(beside)
  }
}

async function leading(
  place: RunningManager,
  lease: ManagerLease,
  lead: (term: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { config, client, metrics } = place
  const { clock, random, log } = config
  const { name } = lease.lease
  metrics.leads(name, false)
  const identity = lease.identity ?? `${await hostName()}_${random.next().toString(36).slice(2, 10)}`
  const ours = async (term: AbortSignal) => {
    metrics.leads(name, true)
    log.info(`${identity} leads`, { lease: `${lease.lease.namespace}/${name}` })
    await lead(term).finally(() => metrics.leads(name, false))
  }
  await runWithLeaderElection({ ...lease, client, identity, clock, random, log, lead: ours }, signal)
  if (!signal.aborted)
    throw new OperatorError('leadership-lost', `leadership was lost: another process may lead (lease ${lease.lease.namespace}/${name})`)
}

const hostName = async () => (await import('node:os')).hostname()

/** All controllers, until the term ends and the last reconciliation has; or until their time is over. */
async function work(
  { config, client, caches, metrics, working }: RunningManager,
  recorder: EventRecorder,
  term: AbortSignal,
): Promise<void> {
  const { clock, log, gracefulStopMs = 30_000 } = config
  const running = new Set<string>()
  const activities = config.reports === true ? new ControllerActivities(clock) : undefined
  const stop = new AbortController()
  const reporting = activities && publishReports({ activities, client: config.client, clock, log }, AbortSignal.any([term, stop.signal]))
  const parts = config.controllers.map(async (controller) => {
    running.add(controller.name)
    const ofController = metrics.of(controller.name, controller.workers)
    const place = { controller, caches: caches.of(controller), client, clock, log, recorder, metrics: ofController, activities }
    await runControllerPart(place, term)
    running.delete(controller.name)
  })
  working()
  const late = Promise.withResolvers<never>()
  let cancel = () => {}
  using _ = onAbort(term, () => {
    cancel = clock.after(gracefulStopMs, () =>
      late.reject(new Error(`reconciliations of ${[...running].join(', ')} have not ended ${gracefulStopMs} ms after they were told to`)),
    )
  })
  try {
    await Promise.race([Promise.all(parts), late.promise])
  } finally {
    cancel()
    stop.abort()
    await reporting
  }
}

/** True when it came before the signal was aborted. */
function before(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    onAbort(signal, () => resolve(false))
    work.then(() => resolve(!signal.aborted), reject)
  })
}
