import type { Clock } from '../base/clock.ts'
import { type Logger, silentLogger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { giveTurn } from '../base/turns.ts'
import { isStatus } from '../machinery/status-error.ts'
import type { Client } from '../sdk/client/client.ts'
import { type EventRecorder, referenceTo } from '../sdk/controller/event-recorder.ts'
import { createSeriesRecorder } from '../sdk/controller/series-recorder.ts'
import { type Attempt, Attempts } from './attempts.ts'
import type { PodInfo } from './cache/pod-info.ts'
import { Changes } from './changes.ts'
import { ClusterState } from './cluster-state.ts'
import { profilesOf, type SchedulerConfiguration } from './config/configuration.ts'
import type { Decision } from './framework/decision.ts'
import type { PluginFactory } from './framework/plugin.ts'
import { Profile } from './framework/profile.ts'
import { Nominations } from './nominations.ts'
import { schedulerNameOf } from './objects.ts'
import { createPodWriter } from './pod-writer.ts'
import type { ClusterEvent } from './queue/cluster-event.ts'
import { type QueuedPod, SchedulingQueue } from './queue/scheduling-queue.ts'

export interface SchedulerOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  readonly config?: SchedulerConfiguration
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
  /** How many pods wait, by place. */
  readonly waiting: { readonly active: number; readonly backoff: number; readonly unschedulable: number }
}

/** Scores are kept by plugin only where there are few nodes: at more, verdicts tell enough and cost less. */
const KEEP_SCORES_UP_TO_NODES = 100
/** Decisions made before others get a turn of the event loop. */
const DECISIONS_PER_TURN = 64

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { client, clock, random, log = silentLogger, config = {}, host = 'bowsprit', maxBindings = 256 } = options
  const deps = { random, ...(options.plugins === undefined ? {} : { plugins: options.plugins }) }
  const profiles = new Map<string, { readonly profile: Profile; readonly recorder: EventRecorder }>()
  const profileOf = (info: PodInfo) => profiles.get(schedulerNameOf(info.pod))
  const nominations = new Nominations()
  const attempts = new Attempts()
  const flying = new Set<Promise<void>>()
  let landed = () => {}

  const changes = new Changes(clock)
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
  const preBindDeps = {
    client,
    listers: state.context.listers,
    until: (check: () => boolean, timeoutMs: number, what: string) => changes.until(check, timeoutMs, what),
  }
  for (const plugins of profilesOf(config, deps)) {
    const recorder = createSeriesRecorder({ client, clock, component: plugins.schedulerName, host, log })
    profiles.set(plugins.schedulerName, { profile: new Profile(plugins, state.context), recorder })
  }
  const queue = new SchedulingQueue({
    clock,
    initialBackoffMs: (config.podInitialBackoffSeconds ?? 1) * 1000,
    maxBackoffMs: (config.podMaxBackoffSeconds ?? 10) * 1000,
    gate,
    worthTrying,
  })
  const writer = createPodWriter(client, clock, (key) => state.pod(key))

  function gate(info: PodInfo): string | undefined {
    for (const plugin of profileOf(info)?.profile.plugins.preEnqueue ?? []) {
      const message = plugin.preEnqueue?.(info)
      if (message !== undefined) return message
    }
    return undefined
  }

  function worthTrying(pod: QueuedPod, event: ClusterEvent): boolean {
    const all = profileOf(pod.info)?.profile.plugins.all
    if (pod.plugins.size === 0) return event.kind === 'node-added' || event.kind === 'pod-updated'
    for (const name of pod.plugins) {
      const plugin = all?.get(name)
      if (plugin === undefined || (plugin.hints?.[event.kind]?.(pod.info, event, state.context) ?? false)) return true
    }
    return false
  }

  function waiting(info: PodInfo, old: PodInfo | undefined): void {
    if (profileOf(info) === undefined) return
    const promised = info.pod.status?.nominatedNodeName
    if (promised) nominations.set(info, promised)
    if (info.terminating) queue.remove(info.key)
    else if (old === undefined || old.uid !== info.uid) queue.add(info)
    else if (asksTheSame(info, old)) refresh(info)
    else queue.update(info, old)
  }

  /** Only the status changed, most often by our own hand: nothing to try again. */
  function refresh(info: PodInfo): void {
    const queued = queue.get(info.key)
    if (queued !== undefined && queued.place !== 'active') queued.info = info
  }

  function gone(key: string): void {
    queue.remove(key)
    nominations.delete(key)
  }

  function scheduleOne(queued: QueuedPod): void {
    const { info } = queued
    const found = profileOf(info)
    if (found === undefined || state.isPlaced(info.key)) {
      queue.remove(info.key)
      return
    }
    const decision = found.profile.decide(info, {
      random,
      hasNominations: () => nominations.any,
      nominatedOn: (row, pod) => nominations.ahead(state.table.names[row] ?? '', pod),
      keepScores: state.table.count <= KEEP_SCORES_UP_TO_NODES,
    })
    attempts.keep({
      pod: info.key,
      uid: info.uid,
      schedulerName: schedulerNameOf(info.pod),
      at: clock.now(),
      number: queued.attempts,
      decision,
    })
    if (decision.kind === 'placed') {
      state.assume(info, decision.node)
      nominations.delete(info.key)
      launch(bind(queued, decision.node, found.recorder))
    } else {
      queue.failed(queued, { plugins: decision.plugins, error: false })
      launch(refuse(info, decision, found.recorder))
    }
  }

  async function bind(queued: QueuedPod, node: string, recorder: EventRecorder): Promise<void> {
    const { info } = queued
    try {
      for (const plugin of profileOf(info)?.profile.plugins.preBind ?? []) await plugin.preBind?.(info, node, preBindDeps)
      await writer.bind(info, node)
    } catch (error) {
      if (state.forget(info.key)) await bindingFailed(queued, error, recorder)
      return
    }
    queue.remove(info.key)
    recorder.record({
      regarding: referenceTo(info.pod),
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      message: `Successfully assigned ${info.key} to ${node}`,
    })
  }

  async function bindingFailed(queued: QueuedPod, error: unknown, recorder: EventRecorder): Promise<void> {
    const why = error instanceof Error ? error.message : String(error)
    log.warn(`cannot bind pod ${queued.info.key}, trying again`, { error })
    if (isStatus(error, 'NotFound')) {
      queue.remove(queued.info.key)
      return
    }
    queue.failed(queued, { plugins: new Set(), error: true })
    const message = `binding rejected: running Bind plugin "DefaultBinder": ${why}`
    report(queued.info, message, recorder)
    await writer.refuse(queued.info, { reason: 'SchedulerError', message, nominated: undefined })
  }

  async function refuse(info: PodInfo, decision: Extract<Decision, { kind: 'unschedulable' }>, recorder: EventRecorder): Promise<void> {
    report(info, decision.message, recorder)
    const { nominated } = decision
    if (nominated !== undefined) nominations.set(info, nominated.node)
    else if (decision.clearsNomination) nominations.delete(info.key)
    const promise = nominated?.node ?? (decision.clearsNomination ? '' : undefined)
    const written = writer.refuse(info, { reason: 'Unschedulable', message: decision.message, nominated: promise })
    if (nominated === undefined) return written
    await written
    await makeRoom(info, nominated, recorder)
  }

  /** Sends the victims away, and takes back what less important pods were promised there. */
  async function makeRoom(
    info: PodInfo,
    { node, victims }: { node: string; victims: readonly PodInfo[] },
    recorder: EventRecorder,
  ): Promise<void> {
    const behind = nominations.behind(node, info)
    for (const other of behind) nominations.delete(other.key)
    const evict = async (victim: PodInfo) => {
      await writer.evict(victim, schedulerNameOf(info.pod))
      recorder.record({
        regarding: referenceTo(victim.pod),
        related: referenceTo(info.pod),
        type: 'Normal',
        reason: 'Preempted',
        action: 'Preempting',
        message: `Preempted by pod ${info.uid} on node ${node}`,
      })
    }
    await Promise.all([...victims.map(evict), ...behind.map((other) => writer.clearNomination(other))])
  }

  function report(info: PodInfo, message: string, recorder: EventRecorder): void {
    recorder.record({ regarding: referenceTo(info.pod), type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', message })
  }

  /** Lets a write go on its way while the next pods are looked at. */
  function launch(work: Promise<void>): void {
    const flight = work
      .catch((error) => log.error('the scheduler could not write what it decided', { error }))
      .finally(() => {
        flying.delete(flight)
        landed()
      })
    flying.add(flight)
  }

  async function loop(signal: AbortSignal): Promise<void> {
    let sinceTurn = 0
    while (!signal.aborted) {
      const next = queue.pop()
      if (next === undefined) {
        await queue.ready(signal)
        continue
      }
      try {
        scheduleOne(next)
      } catch (error) {
        log.error(`the attempt to place pod ${next.info.key} failed`, { error })
        queue.failed(next, { plugins: new Set(), error: true })
      }
      if (flying.size >= maxBindings) await oneLanded()
      if (++sinceTurn >= DECISIONS_PER_TURN) {
        sinceTurn = 0
        await giveTurn()
      }
    }
    await Promise.all(flying)
  }

  const oneLanded = () =>
    new Promise<void>((resolve) => {
      landed = () => {
        landed = () => {}
        resolve()
      }
    })

  const synced = state.synced()
  return {
    synced,
    explain: (pod) => attempts.of(pod),
    get waiting() {
      return queue.sizes
    },
    async run(signal) {
      const stopQueue = queue.start()
      const recorders = [...profiles.values()].map(({ recorder }) => recorder.run(signal))
      const watching = state.run(signal)
      await Promise.race([synced, watching])
      await loop(signal)
      stopQueue()
      await Promise.all([watching, ...recorders])
    },
  }
}

/** Whether two states of a waiting pod ask for the same: all but the status. */
function asksTheSame(a: PodInfo, b: PodInfo): boolean {
  const facts = ({ pod: { metadata, spec } }: PodInfo) =>
    JSON.stringify([metadata.labels, metadata.annotations, metadata.ownerReferences, spec])
  return a.shape === b.shape && facts(a) === facts(b)
}
