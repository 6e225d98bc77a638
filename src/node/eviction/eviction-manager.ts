import type { Clock } from '../../base/clock.ts'
import type { Family } from '../../base/exposition.ts'
import { CounterMetric } from '../../base/metrics.ts'
import { pause } from '../../base/pause.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { SIMULATED_PREFIX } from '../../machinery/simulated-annotations.ts'
import { qosClass } from '../../resources/pod/qos.ts'
import type { Node } from '../../resources/types/core.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { isCritical } from '../admission/critical-pod.ts'
import { tolerates } from '../admission/tolerates.ts'
import type { MetricSource } from '../metrics/metric-source.ts'
import type { NodeStatusSource } from '../status/node-object.ts'
import type { AdmitHandler, AdmitRequest, Refusal } from '../types/admit-handler.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import type { Pod } from '../types/pod.ts'
import type { PodTermination } from '../types/pod-termination.ts'
import type { EvictionConfig } from './eviction-config.ts'
import { evictionMessage } from './eviction-message.ts'
import { mayPassMemoryLimit, overMemoryLimit } from './memory-limits.ts'
import { isMet, NO_PRESSURE, observePressure, type PressureView } from './observe-pressure.ts'
import { rankPods } from './rank-pods.ts'
import { reclaimFrom } from './reclaim.ts'
import { overStorageLimit } from './storage-limits.ts'
import { MEANING } from './thresholds.ts'
import type { Usage, UsageSource } from './usage.ts'

export interface EvictionDeps {
  readonly clock: Clock
  readonly usage: UsageSource
}

/** The kubelet's values: monitoring interval, grace period of immediate evictions, and how long it waits for a pod's cleanup. */
const LOOK_MS = 10_000
const IMMEDIATE_SECONDS = 1
const GONE_MS = 30_000
/** How long until the end of a killed container is reported: its usage is ignored meanwhile. */
const TOLD_MS = 1000

/** Evicts pods of a node under resource pressure, and refuses new ones meanwhile. */
export class EvictionManager implements AdmitHandler, AgentPart, NodeStatusSource, MetricSource {
  readonly name = 'eviction'
  readonly #config: EvictionConfig
  readonly #deps: EvictionDeps
  readonly #changed = new Signal()
  readonly #evictions = new CounterMetric({
    name: 'kubelet_evictions',
    help: 'Pods that were evicted, by the signal.',
    labels: ['eviction_signal'],
  })
  #pressure: PressureView = { memory: NO_PRESSURE, conditions: [], acting: [] }
  #looked = false
  #known = false
  /** The usage annotations of the node and its pods, by kind and UID. */
  readonly #said = new Map<string, string>()
  /** Pods of which a container was OOM-killed: they are checked again when it runs again. */
  readonly #greedy = new Set<string>()
  #notify: () => void = () => {}

  constructor(config: EvictionConfig, deps: EvictionDeps) {
    this.#config = config
    this.#deps = deps
  }

  /** It adds no countable resource. */
  capacity(): Readonly<Record<string, string>> {
    return {}
  }

  pressures(): ReadonlySet<string> {
    return new Set(this.#pressure.conditions)
  }

  watch(notify: () => void): void {
    this.#notify = notify
  }

  nodeChanged(node: Node): void {
    // Usage was not read before the node was known.
    if (!this.#known) this.#changed.raise()
    this.#known = true
    this.#compareDescription(node)
  }

  podChanged(pod: Pod): void {
    if (this.#greedy.has(pod.metadata.uid ?? '')) this.#changed.raise()
    this.#compareDescription(pod)
  }

  /** Checks at once if usage annotations have changed since the last check. */
  #compareDescription({ kind, metadata: { uid, annotations } }: KubeObject): void {
    const key = `${kind} ${uid}`
    const said = descriptionOf(annotations)
    if (this.#said.get(key) === said || (said === '' && !this.#said.has(key))) return
    if (said === '') this.#said.delete(key)
    else this.#said.set(key, said)
    this.#changed.raise()
  }

  families(): readonly Family[] {
    return [this.#evictions.family]
  }

  /** Requests a check. */
  look(): void {
    this.#changed.raise()
  }

  async takeOver(node: Node): Promise<void> {
    if (this.#deps.usage.worthLooking(node, [])) this.#observe(await this.#deps.usage.read(node, []))
  }

  async admit({ pod, node, taken }: AdmitRequest): Promise<Refusal | undefined> {
    // An agent that has just started checks before it admits any pod.
    if (!this.#looked && this.#deps.usage.worthLooking(node, taken)) this.#observe(await this.#deps.usage.read(node, taken))
    const { conditions } = this.#pressure
    // As the kubelet does, an agent that starts under pressure refuses what runs already.
    if (conditions.length === 0 || isCritical(pod)) return undefined
    if (conditions.every((c) => c === 'MemoryPressure') && (quality(pod) !== 'BestEffort' || toleratesPressure(pod))) return undefined
    return { reason: EVICTED, message: `The node had condition: [${conditions.join(' ')}]. ` }
  }

  release({ metadata: { uid = '' } }: Pod): void {
    this.#said.delete(`Pod ${uid}`)
    this.#greedy.delete(uid)
  }

  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    while (!signal.aborted) {
      const looked = await this.#lookIfWorth(agent, signal)
      if (looked !== 'evicted') await this.#changed.wait({ clock, signal, untilMs: looked === 'idle' ? undefined : clock.now() + LOOK_MS })
    }
  }

  async #lookIfWorth(agent: AgentView, signal: AbortSignal): Promise<'idle' | 'looked' | 'evicted'> {
    const node = agent.node()
    if (node === undefined) return 'idle'
    if (this.#pressure.conditions.length === 0 && !this.#deps.usage.worthLooking(node, agent.pods())) return 'idle'
    return (await this.#look(agent, node, signal)) ? 'evicted' : 'looked'
  }

  /** True when a pod was evicted. */
  async #look(agent: AgentView, node: Node, signal: AbortSignal): Promise<boolean> {
    const { usage } = this.#deps
    // Pods that are terminating already are ignored.
    const pods = agent.pods().filter((p) => p.metadata.deletionTimestamp === undefined && !agent.ending(p))
    const now = await usage.read(node, agent.pods())
    // OOM kills come before evictions: the kernel reacts faster than the kubelet.
    if (await this.#killGreedy(agent, pods, now, signal)) return true
    this.#observe(now)
    if (this.#config.storageLimits && (await this.#endOverLimits(agent, pods, now, signal))) return true
    const [first] = this.#pressure.acting
    if (first === undefined) return false
    const { resource } = MEANING[first.signal]
    agent.recordNodeEvent('Warning', 'EvictionThresholdMet', `Attempting to reclaim ${resource}`)
    if (await reclaimFrom(agent, first.signal, usage.separateImages, signal)) {
      const { observations } = await usage.read(node, agent.pods())
      if (!this.#config.thresholds.some((t) => isMet(t, observations, 'with what is to be reclaimed'))) return false
    }
    const ranked = rankPods({ signal: first.signal, pods, use: now.of, separateImages: usage.separateImages })
    const victim = ranked.find((pod) => !isCritical(pod))
    if (victim === undefined) return false
    const { acting } = this.#pressure
    const { message, annotations } = evictionMessage({ pod: victim, use: now.of(victim), resource, acting, observations: now.observations })
    const graceSeconds = first.graceMs === 0 ? IMMEDIATE_SECONDS : this.#softGrace(victim)
    const disruption = { reason: 'TerminationByKubelet', message }
    this.#evictions.add([first.signal])
    await this.#evict(agent, victim, { termination: { ...terminationOf(message), graceSeconds, disruption }, annotations }, signal)
    return true
  }

  /** OOM-kills containers that exceed their memory limits. Resolves with whether there was one, when it has ended. */
  async #killGreedy(agent: AgentView, pods: readonly Pod[], now: Usage, signal: AbortSignal): Promise<boolean> {
    const { runtime } = agent
    let any = false
    for (const pod of pods) {
      if (runtime.outOfMemory === undefined || !mayPassMemoryLimit(pod, now.of(pod))) continue
      const podUid = pod.metadata.uid ?? ''
      const running = (await runtime.containers({ podUid }, signal)).filter((c) => c.state === 'running')
      for (const id of overMemoryLimit(pod, now.of(pod), running)) {
        this.#greedy.add(podUid)
        runtime.outOfMemory(id)
        any = true
      }
    }
    if (any) await pause(this.#deps.clock, TOLD_MS, signal)
    return any
  }

  #softGrace(pod: Pod): number {
    return Math.min(this.#config.maxGraceSeconds, Number(pod.spec.terminationGracePeriodSeconds ?? Number.POSITIVE_INFINITY))
  }

  #observe({ observations }: Usage): void {
    const { thresholds, transitionMs } = this.#config
    const before = this.#pressure.conditions
    this.#looked = true
    this.#pressure = observePressure(this.#pressure.memory, { thresholds, observations, transitionMs, nowMs: this.#deps.clock.now() })
    if (before.join() !== this.#pressure.conditions.join()) this.#notify()
  }

  async #endOverLimits(agent: AgentView, pods: readonly Pod[], now: Usage, signal: AbortSignal): Promise<boolean> {
    let any = false
    for (const pod of pods) {
      const fault = isCritical(pod) ? undefined : overStorageLimit(pod, now.of(pod), this.#deps.usage.separateImages)
      if (fault === undefined) continue
      any = true
      this.#evictions.add([fault.signal])
      await this.#evict(agent, pod, { termination: { ...terminationOf(fault.message), graceSeconds: IMMEDIATE_SECONDS } }, signal)
    }
    return any
  }

  /** Resolves when none of its containers runs any more, or after a time limit. */
  async #evict(
    agent: AgentView,
    pod: Pod,
    { termination, annotations }: { readonly termination: PodTermination; readonly annotations?: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<void> {
    const { reason, message } = termination
    agent.record({ regarding: referenceTo(pod), type: 'Warning', reason, message, ...(annotations && { annotations }) })
    const late = new AbortController()
    await Promise.race([agent.end(pod, termination), pause(this.#deps.clock, GONE_MS, AbortSignal.any([signal, late.signal]))])
    late.abort()
  }
}

function descriptionOf(annotations: Readonly<Record<string, string>> | undefined): string {
  let said = ''
  for (const key in annotations) if (key.startsWith(SIMULATED_PREFIX)) said += `${key}=${annotations[key]} `
  return said
}

const EVICTED = 'Evicted'
const terminationOf = (message: string): PodTermination => ({ reason: EVICTED, message, clears: true })

const PRESSURE_TAINT = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }
const toleratesPressure = (pod: Pod) => (pod.spec.tolerations ?? []).some((t) => tolerates(t, PRESSURE_TAINT))
const quality = (pod: Pod) => qosClass(pod.spec)
