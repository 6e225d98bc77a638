import type { Later } from '../base/steps.ts'
import type { EventRecorder } from '../sdk/controller/event-recorder.ts'
import type { PodInfo } from './cache/pod-info.ts'
import type { ClusterEvent, EventKey } from './framework/cluster-event.ts'
import { eventKey } from './framework/cluster-event.ts'
import { EXTENDER } from './framework/consult.ts'
import type { Hints, Plugin, Queued } from './framework/plugin.ts'
import { type Gate, runPreEnqueue } from './framework/pre-enqueue.ts'
import type { PluginContext } from './framework/prepared.ts'
import { Profile, type ProfilePlugins } from './framework/profile.ts'
import { schedulerNameOf } from './pod-facts.ts'
import type { QueuedPod } from './queue/scheduling-queue.ts'

/** The profile of a pod, and where its events go. */
export interface ServedBy {
  readonly profile: Profile
  readonly recorder: EventRecorder
}

/** The profiles of a scheduler by scheduler name, and what their plugins decide about pods in the queue. */
export class ServedProfiles {
  readonly #byName = new Map<string, ServedBy>()
  readonly #context: PluginContext
  /** All profiles have the same QueueSort plugin: there is one queue. */
  readonly #sort: Plugin | undefined

  constructor(all: readonly ProfilePlugins[], context: PluginContext, recorderOf: (schedulerName: string) => EventRecorder) {
    this.#context = context
    this.#sort = all[0]?.queueSort[0]
    for (const plugins of all) {
      const { schedulerName } = plugins
      this.#byName.set(schedulerName, { profile: new Profile(plugins, context), recorder: recorderOf(schedulerName) })
    }
  }

  named(schedulerName: string): ServedBy | undefined {
    return this.#byName.get(schedulerName)
  }

  /** Undefined for a pod of another scheduler. */
  of(info: PodInfo): ServedBy | undefined {
    return this.#byName.get(schedulerNameOf(info.pod))
  }

  all(): readonly ServedBy[] {
    return [...this.#byName.values()]
  }

  before(a: Queued, b: Queued): boolean {
    return this.#sort?.queueSort?.(a, b) ?? a.serial < b.serial
  }

  /** Runs the PreEnqueue plugins in order, once the pod can be sorted. Takes time only where a plugin runs in another thread. */
  gate(info: PodInfo): Later<Gate | undefined> {
    const plugins = this.of(info)?.profile.plugins.preEnqueue ?? []
    const run = () => runPreEnqueue(plugins, info, this.#context)
    const sortable = this.#sort?.prepareSort?.(info)
    return sortable === undefined ? run() : sortable.then(run)
  }

  /** The events for which some plugin that rejected the pod has a queueing hint. */
  wokenBy(pod: QueuedPod): readonly EventKey[] | 'any' {
    if (pod.plugins.size === 0) return ['node-added']
    const hints = this.#hintsOf(pod)
    if (hints === undefined) return 'any'
    return [...new Set(hints.flatMap((of) => Object.keys(of) as EventKey[]))]
  }

  /** Whether an event may make the pod schedulable, by the queueing hints of the plugins that rejected it. */
  worthTrying(pod: QueuedPod, event: ClusterEvent): Later<boolean> {
    if (pod.plugins.size === 0) return event.kind === 'node-added' || event.kind === 'pod-updated'
    const hints = this.#hintsOf(pod)
    if (hints === undefined) return true
    const answers = hints.map((of) => of[eventKey(event)]?.(pod.info, event, this.#context) ?? false)
    if (answers.includes(true)) return true
    const late = answers.filter((answer) => answer instanceof Promise)
    return late.length > 0 && Promise.all(late).then((all) => all.includes(true))
  }

  /** Undefined when a plugin without hints rejected the pod, or an extender: any event may help then. */
  #hintsOf(pod: QueuedPod): readonly Hints[] | undefined {
    const plugins = this.of(pod.info)?.profile.plugins.all
    const hints: Hints[] = []
    for (const name of pod.plugins) {
      const own = plugins?.get(name)?.hints
      if (own === undefined || name === EXTENDER) return undefined
      hints.push(own)
    }
    return hints
  }
}
