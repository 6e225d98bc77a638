import type { Clock } from '../base/clock.ts'
import { holding } from '../base/clock.ts'
import type { Family } from '../base/exposition.ts'
import { type Logger, silentLogger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { giveTurn } from '../base/turns.ts'
import type { QueueReport } from '../resources/bowsprit/queue-report.ts'
import type { SchedulingReport } from '../resources/bowsprit/scheduling-report.ts'
import type { Client } from '../sdk/client/client.ts'
import { createEventGate } from '../sdk/controller/event-gate.ts'
import { createSeriesRecorder } from '../sdk/controller/series-recorder.ts'
import { createInformerFactory, type InformerFactory } from '../sdk/informer/informer-factory.ts'
import { type Attempt, Attempts } from './attempts.ts'
import { Changes } from './changes.ts'
import { ClusterState, type ClusterStateSink, type WatchedResources } from './cluster-state.ts'
import type { CompleteConfiguration } from './config/complete.ts'
import { profilesOf, readConfiguration, type SchedulerConfiguration } from './config/configuration.ts'
import { SchedulingCycle } from './cycle.ts'
import { createExtenders, type Extenders } from './extender/extender.ts'
import { type ModulePlugins, modulePlugins } from './external/module-plugins.ts'
import type { PluginFactory } from './framework/plugin.ts'
import { WaitingPods } from './framework/waiting-pods.ts'
import { InFlight } from './in-flight.ts'
import { Nominations } from './nominations.ts'
import { schedulerNameOf } from './pod-facts.ts'
import { PodIntake } from './pod-intake.ts'
import { createPodWriter } from './pod-writer.ts'
import { SchedulingQueue } from './queue/scheduling-queue.ts'
import { SchedulerMetrics } from './scheduler-metrics.ts'
import { ServedProfiles } from './served-profiles.ts'

export interface SchedulerOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Default: informers of its own, over `client`. */
  readonly informers?: InformerFactory
  readonly config?: SchedulerConfiguration | CompleteConfiguration
  /** The feature gates that are on and off by default. */
  readonly gates?: ReadonlySet<string>
  /** Where relative paths of plugins' modules begin. Default: the working directory. */
  readonly folder?: string
  /** Plugins beside the built-in ones, by name; the configuration enables them. */
  readonly plugins?: Readonly<Record<string, PluginFactory>>
  /** Where it runs, for events. Default `bowsprit`. */
  readonly host?: string
  /** How many bindings may be on their way at once. Default 256. */
  readonly maxBindings?: number
}

/** Gives each pod without a node the node that suits it best. */
export interface Scheduler {
  /** Resolves when every list is in and the first pod can be placed. */
  readonly synced: Promise<void>
  /** Schedules until the signal is aborted and what was begun is done. */
  run(signal: AbortSignal): Promise<void>
  /** The last attempt to schedule a pod, by `namespace/name`, with the verdict per node and plugin. */
  explain(pod: string): Attempt | undefined
  /** Why a pod is where it is, or nowhere, and what would have to change; undefined where there is no such pod. */
  report(pod: string): Promise<SchedulingReport | undefined>
  /** The pods of the queue, as `queuereports` shows them. */
  queueReports(): Promise<readonly QueueReport[]>
  /** `scheduler_*` */
  metrics(): readonly Family[]
  /** How many pods wait, by queue. */
  readonly waiting: { readonly active: number; readonly backoff: number; readonly unschedulable: number }
  /** Pods at Permit: they have their node and wait for permission. */
  readonly waitingPods: WaitingPods
}

/** Pods tried before the rest of the process gets a turn of the event loop. */
const DECISIONS_PER_TURN = 64
/** Events that are sent to the API at once. */
const EVENTS_IN_FLIGHT = 32
/** With as many works in flight, events wait: binding pods comes first. */
const CROWDED = 16

/** Whether a profile has the plugin at some point. */
const enables = ({ profiles }: CompleteConfiguration, plugin: string): boolean =>
  profiles.some(({ plugins }) => Object.values(plugins).some(({ enabled }) => enabled.some(({ name }) => name === plugin)))

export const createScheduler = (options: SchedulerOptions): Scheduler => new ComposedScheduler(options)

class ComposedScheduler implements Scheduler {
  readonly synced: Promise<void>
  readonly waitingPods: WaitingPods
  readonly #clock: Clock
  readonly #maxBindings: number
  readonly #state: ClusterState
  readonly #served: ServedProfiles
  readonly #queue: SchedulingQueue
  readonly #cycle: SchedulingCycle
  readonly #inFlight: InFlight
  readonly #attempts = new Attempts()
  readonly #metrics = new SchedulerMetrics()
  readonly #changes: Changes
  readonly #extenders: Extenders
  readonly #modules: ModulePlugins
  readonly #intake: PodIntake
  /** A node that is no longer promised is, to pods that were rejected for it, as if a pod had left it. */
  readonly #nominations = new Nominations(({ pod }) => this.#queue.event({ kind: 'assigned-pod-deleted', pod }))

  constructor(options: SchedulerOptions) {
    const { client, clock, random, log = silentLogger, maxBindings = 256 } = options
    const config = readConfiguration(options.config ?? {}, options.gates)
    this.#clock = clock
    this.#maxBindings = maxBindings
    this.#inFlight = new InFlight(log)
    this.#changes = new Changes(clock)
    this.waitingPods = new WaitingPods(clock)
    const informers = options.informers ?? createInformerFactory({ client, clock, random, log })
    this.#state = this.#openState(informers, { podGroups: enables(config, 'GangScheduling') })
    const { table } = this.#state
    this.#extenders = createExtenders(config.extenders, { clock, log, podsOn: (node) => this.#state.podsOn(node) })
    this.#modules = modulePlugins(config, { clock, log, table, folder: options.folder ?? process.cwd() })
    this.#served = this.#openProfiles(options, config)
    this.#queue = this.#openQueue(config)
    this.#intake = new PodIntake({
      queue: this.#queue,
      nominations: this.#nominations,
      waitingPods: this.waitingPods,
      serves: (info) => this.#served.of(info) !== undefined,
    })
    this.#cycle = this.#openCycle({ client, clock, random, log })
    this.synced = this.#state.synced()
  }

  #openState(informers: InformerFactory, watched: WatchedResources): ClusterState {
    const sink: ClusterStateSink = {
      waiting: (info, old) => this.#intake.waiting(info, old),
      gone: (info) => this.#intake.gone(info),
      event: (event) => {
        this.#queue.event(event)
        if (event.kind === 'object-changed') this.#changes.happened()
      },
    }
    return new ClusterState(informers, sink, watched)
  }

  #openProfiles(
    { client, clock, random, log = silentLogger, ...options }: SchedulerOptions,
    config: CompleteConfiguration,
  ): ServedProfiles {
    const plugins = { ...this.#modules.factories, ...options.plugins }
    const profiles = profilesOf(config, { random, client, extenders: this.#extenders.external, plugins })
    const gate = createEventGate(EVENTS_IN_FLIGHT, () => this.#inFlight.size >= CROWDED)
    const host = options.host ?? 'bowsprit'
    return new ServedProfiles(profiles, this.#state.context, (component) =>
      createSeriesRecorder({ client, clock, component, host, log, gate }),
    )
  }

  #openQueue({ podInitialBackoffSeconds, podMaxBackoffSeconds }: CompleteConfiguration): SchedulingQueue {
    const served = this.#served
    return new SchedulingQueue({
      clock: this.#clock,
      initialBackoffMs: podInitialBackoffSeconds * 1000,
      maxBackoffMs: podMaxBackoffSeconds * 1000,
      before: (a, b) => served.before(a, b),
      gate: (info) => served.gate(info),
      entered: (queue, why) => this.#metrics.entered(queue, why),
      wokenBy: (pod) => served.wokenBy(pod),
      worthTrying: (pod, event) => served.worthTrying(pod, event),
    })
  }

  #openCycle({ client, clock, random, log }: Required<Pick<SchedulerOptions, 'client' | 'clock' | 'random' | 'log'>>): SchedulingCycle {
    const state = this.#state
    return new SchedulingCycle({
      queue: this.#queue,
      state,
      nominations: this.#nominations,
      attempts: this.#attempts,
      metrics: this.#metrics,
      waitingPods: this.waitingPods,
      clock,
      random,
      log,
      launch: (work) => this.#inFlight.launch(work),
      writer: createPodWriter(client, clock, (key) => state.pod(key)),
      preBind: {
        client,
        listers: state.context.listers,
        now: () => clock.now(),
        until: (check, timeoutMs, what) => this.#changes.until(check, timeoutMs, what),
      },
    })
  }

  get waiting(): Scheduler['waiting'] {
    return this.#queue.sizes
  }

  metrics(): readonly Family[] {
    const { active, backoff, unschedulable } = this.waiting
    const { gated } = this.#queue
    return this.#metrics.families({
      pending: { active, backoff, unschedulable: unschedulable - gated, gated },
      cache: this.#state.sizes,
      turnedDown: this.#queue.turnedDown().map(({ info, plugins }) => ({ profile: schedulerNameOf(info.pod), plugins })),
    })
  }

  explain(pod: string): Attempt | undefined {
    return this.#attempts.of(pod)
  }

  async report(key: string): Promise<SchedulingReport | undefined> {
    // Loaded with the first report.
    const { reportOn } = await holding(this.#clock, 'loading reports', () => import('./explain/report.ts'))
    const pod = this.#state.pod(key)
    if (pod === undefined) return undefined
    return reportOn({
      pod,
      plugins: this.#served.named(schedulerNameOf(pod))?.profile.plugins,
      table: this.#state.table,
      listers: this.#state.context.listers,
      ahead: (node, info) => this.#nominations.ahead(node, info),
      attempt: this.#attempts.of(key),
      gate: this.#queue.get(key)?.gate,
    })
  }

  async queueReports(): Promise<readonly QueueReport[]> {
    const { MOST_QUEUED, queueReport } = await holding(this.#clock, 'loading reports', () => import('./queue/queue-report.ts'))
    return this.#queue.list(MOST_QUEUED, queueReport)
  }

  async run(signal: AbortSignal): Promise<void> {
    const stopQueue = this.#queue.start()
    const recorders = this.#served.all().map(({ recorder }) => recorder.run(signal))
    const watching = this.#state.run(signal)
    await Promise.race([this.synced, watching])
    await this.#schedule(signal)
    for (const { info } of this.waitingPods.list()) this.waitingPods.reject(info.uid, '', 'the scheduler stops')
    this.#changes.end()
    await this.#inFlight.ended()
    stopQueue()
    this.#extenders.close()
    await this.#modules.close()
    await Promise.all([watching, ...recorders])
  }

  /** Tries one pod after the other until the signal is aborted. */
  async #schedule(signal: AbortSignal): Promise<void> {
    let sinceTurn = 0
    while (!signal.aborted) {
      const next = this.#queue.pop()
      if (next === undefined) {
        await this.#queue.ready(signal)
        continue
      }
      const served = this.#served.of(next.info)
      if (served === undefined || this.#state.isPlaced(next.info)) this.#queue.remove(next.info.key)
      else this.#cycle.attempt(next, served)
      // Checked first, so that a pod that binds at once costs no await.
      if (this.#inFlight.size >= this.#maxBindings) await this.#inFlight.fewerThan(this.#maxBindings)
      if (++sinceTurn >= DECISIONS_PER_TURN) {
        sinceTurn = 0
        await giveTurn()
      }
    }
  }
}
