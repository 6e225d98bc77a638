import { type Clock, holding } from '../base/clock.ts'
import { type Logger, silentLogger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { Signal } from '../base/signal.ts'
import { giveTurn } from '../base/turns.ts'
import type { SchedulingReport } from '../resources/bowsprit/scheduling-report.ts'
import type { Client } from '../sdk/client/client.ts'
import { createEventGate } from '../sdk/controller/event-gate.ts'
import type { EventRecorder } from '../sdk/controller/event-recorder.ts'
import { createSeriesRecorder } from '../sdk/controller/series-recorder.ts'
import { type Attempt, Attempts } from './attempts.ts'
import type { PodInfo } from './cache/pod-info.ts'
import { Changes } from './changes.ts'
import { ClusterState } from './cluster-state.ts'
import type { CompleteConfiguration } from './config/complete.ts'
import { profilesOf, readConfiguration, type SchedulerConfiguration } from './config/configuration.ts'
import { SchedulingCycle } from './cycle.ts'
import { createExtenders } from './extender/extender.ts'
import { externalPlugins } from './external/external-plugin.ts'
import { askGates } from './framework/ask-gates.ts'
import { GUEST } from './framework/consult.ts'
import type { Plugin, PluginFactory } from './framework/plugin.ts'
import { Profile } from './framework/profile.ts'
import { WaitingPods } from './framework/waiting-pods.ts'
import { Nominations } from './nominations.ts'
import { asksTheSame, schedulerNameOf } from './objects.ts'
import { createPodWriter } from './pod-writer.ts'
import type { ClusterEvent, EventKey } from './queue/cluster-event.ts'
import { type Gate, type QueuedPod, SchedulingQueue } from './queue/scheduling-queue.ts'

export interface SchedulerOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  readonly config?: SchedulerConfiguration | CompleteConfiguration
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
  /** The last attempt to place a pod, by `namespace/name`, with the verdict per node and plugin. */
  explain(pod: string): Attempt | undefined
  /** Why a pod is where it is, or nowhere, and what would have to change; undefined where there is no such pod. */
  report(pod: string): Promise<SchedulingReport | undefined>
  /** How many pods wait, by place. */
  readonly waiting: { readonly active: number; readonly backoff: number; readonly unschedulable: number }
  /** Pods at Permit: they have their node and wait for permission. */
  readonly waitingPods: WaitingPods
}

/** Decisions made before others get a turn of the event loop. */
const DECISIONS_PER_TURN = 64
const EVENTS_IN_FLIGHT = 32
/** So many bindings on their way, and events wait. */
const CROWDED = 16

interface Served {
  readonly profile: Profile
  readonly recorder: EventRecorder
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { client, clock, random, log = silentLogger, host = 'bowsprit', maxBindings = 256 } = options
  const config = readConfiguration(options.config ?? {})
  const served = new Map<string, Served>()
  const servedFor = (info: PodInfo) => served.get(schedulerNameOf(info.pod))
  // To those who were turned down for it, it is as if a pod had gone.
  const nominations = new Nominations(({ pod }) => queue.event({ kind: 'assigned-pod-deleted', pod }))
  const attempts = new Attempts()
  const changes = new Changes(clock)
  const waitingPods = new WaitingPods(clock)
  const underway = new Set<Promise<void>>()
  const landed = new Signal()

  const state = new ClusterState(
    { client, clock, random, log },
    {
      waiting,
      gone,
      event(event) {
        queue.event(event)
        if (event.kind === 'object-changed') changes.happened()
      },
    },
  )
  const { context } = state
  const extenders = createExtenders(config.extenders, {
    clock,
    log,
    podsOn: (node) => state.table.pods[state.table.rowOf(node) ?? -1] ?? [],
  })
  const external = externalPlugins(config, { clock, log, table: state.table, folder: options.folder ?? process.cwd() })
  const deps = { random, client, extenders: extenders.guests, plugins: { ...external.factories, ...options.plugins } }
  const profiles = profilesOf(config, deps)
  // Whatever there is to tell, the pods come first.
  const eventGate = createEventGate(EVENTS_IN_FLIGHT, () => underway.size >= CROWDED)
  for (const plugins of profiles) {
    const recorder = createSeriesRecorder({ client, clock, component: plugins.schedulerName, host, log, gate: eventGate })
    served.set(plugins.schedulerName, { profile: new Profile(plugins, context), recorder })
  }
  const queue = new SchedulingQueue({
    clock,
    initialBackoffMs: config.podInitialBackoffSeconds * 1000,
    maxBackoffMs: config.podMaxBackoffSeconds * 1000,
    // All profiles sort alike: there is one queue.
    before: profiles[0]?.queueSort[0]?.queueSort ?? ((a, b) => a.serial < b.serial),
    gate,
    wokenBy,
    worthTrying,
  })
  const cycle = new SchedulingCycle({
    queue,
    state,
    nominations,
    attempts,
    waitingPods,
    clock,
    random,
    log,
    launch,
    writer: createPodWriter(client, clock, (key) => state.pod(key)),
    preBind: {
      client,
      listers: context.listers,
      now: () => clock.now(),
      until: (check, timeoutMs, what) => changes.until(check, timeoutMs, what),
    },
  })

  /** Asks the PreEnqueue plugins in order, once the pod can be sorted. Takes time only where a plugin elsewhere has a say. */
  function gate(info: PodInfo): Gate | undefined | Promise<Gate | undefined> {
    const plugins = servedFor(info)?.profile.plugins.preEnqueue ?? []
    const sorted = profiles[0]?.queueSort[0]?.prepareSort?.(info)
    return sorted === undefined ? askGates(plugins, info, context) : sorted.then(() => askGates(plugins, info, context))
  }

  /** The hints of the plugins that turned a pod down; undefined where nobody knows what would help. */
  function hintsOf(pod: QueuedPod): readonly Plugin['hints'][] | undefined {
    const all = servedFor(pod.info)?.profile.plugins.all
    const hints: Plugin['hints'][] = []
    for (const name of pod.plugins) {
      const plugin = all?.get(name)
      // A plugin without hints may be helped by anything, and so may a guest.
      if (plugin?.hints === undefined || name === GUEST) return undefined
      hints.push(plugin.hints)
    }
    return hints
  }

  function wokenBy(pod: QueuedPod): readonly EventKey[] | 'any' {
    if (pod.plugins.size === 0) return ['node-added']
    const hints = hintsOf(pod)
    if (hints === undefined) return 'any'
    return [...new Set(hints.flatMap((of) => Object.keys(of ?? {}) as EventKey[]))]
  }

  function worthTrying(pod: QueuedPod, event: ClusterEvent): boolean | Promise<boolean> {
    if (pod.plugins.size === 0) return event.kind === 'node-added' || event.kind === 'pod-updated'
    const hints = hintsOf(pod)
    if (hints === undefined) return true
    const key: EventKey = event.kind === 'object-changed' ? `changed/${event.resource ?? ''}` : event.kind
    const said = hints.map((of) => of?.[key]?.(pod.info, event, context) ?? false)
    if (said.includes(true)) return true
    const late = said.filter((one) => one instanceof Promise)
    return late.length > 0 && Promise.all(late).then((all) => all.includes(true))
  }

  function waiting(info: PodInfo, old: PodInfo | undefined): void {
    if (servedFor(info) === undefined) return
    if (old !== undefined && old.uid !== info.uid) gone(old)
    const promised = info.pod.status?.nominatedNodeName
    const before = old?.pod.status?.nominatedNodeName
    if (promised) nominations.set(info, promised)
    else if (before && nominations.nodeOf(info.key) === before) nominations.delete(info.key)
    if (info.terminating) queue.remove(info.key)
    else if (old === undefined || old.uid !== info.uid) queue.add(info)
    // Only the status changed, most often by our own hand: nothing to try again.
    else if (asksTheSame(info.pod, old.pod)) queue.refresh(info)
    else queue.update(info, old)
  }

  function gone({ key, uid }: PodInfo): void {
    queue.remove(key)
    nominations.delete(key)
    for (const plugin of waitingPods.get(uid)?.pending ?? []) waitingPods.reject(uid, plugin, 'the pod was deleted')
  }

  /** Lets work go on its way while the next pods are looked at. */
  function launch(work: Promise<void>): void {
    const one = work
      .catch((error) => log.error('the scheduler could not write what it decided', { error }))
      .finally(() => {
        underway.delete(one)
        landed.raise()
      })
    underway.add(one)
  }

  async function loop(signal: AbortSignal): Promise<void> {
    let sinceTurn = 0
    while (!signal.aborted) {
      const next = queue.pop()
      if (next === undefined) {
        await queue.ready(signal)
        continue
      }
      const found = servedFor(next.info)
      if (found === undefined || state.isPlaced(next.info)) queue.remove(next.info.key)
      else cycle.attempt(next, found)
      while (underway.size >= maxBindings) await landed.wait()
      if (++sinceTurn >= DECISIONS_PER_TURN) {
        sinceTurn = 0
        await giveTurn()
      }
    }
    for (const { info } of waitingPods.list()) waitingPods.reject(info.uid, '', 'the scheduler stops')
    changes.end()
    await Promise.all(underway)
  }

  const synced = state.synced()
  return {
    synced,
    waitingPods,
    explain: (pod) => attempts.of(pod),
    async report(key) {
      // What explains is read when somebody asks.
      const { reportOn } = await holding(clock, 'loading reports', () => import('./explain/report.ts'))
      const pod = state.pod(key)
      if (pod === undefined) return undefined
      return reportOn({
        pod,
        plugins: served.get(schedulerNameOf(pod))?.profile.plugins,
        table: state.table,
        listers: context.listers,
        ahead: (node, info) => nominations.ahead(node, info),
        attempt: attempts.of(key),
        gate: queue.get(key)?.gate,
      })
    },
    get waiting() {
      return queue.sizes
    },
    async run(signal) {
      const stopQueue = queue.start()
      const recorders = [...served.values()].map(({ recorder }) => recorder.run(signal))
      const watching = state.run(signal)
      await Promise.race([synced, watching])
      await loop(signal)
      stopQueue()
      extenders.close()
      await external.close()
      await Promise.all([watching, ...recorders])
    },
  }
}
