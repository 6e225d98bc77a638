import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { parseQuantity } from '../../../machinery/quantity.ts'
import type { NumaLayout } from '../../machine/machine.ts'
import type { ContainerAdditions } from '../../runtime/container-spec.ts'
import type { AdmitHandler, AdmitRequest, PrepareRequest, Refusal, ResizeRefusal } from '../../types/admit-handler.ts'
import type { Container, Pod } from '../../types/pod.ts'
import type { ProviderHints } from '../hints/hint.ts'
import { allocatedContainers, type HintProvider } from '../hints/hint-provider.ts'
import { type MergedHint, type MergeOptions, mergeHints, type TopologyPolicy } from '../hints/merge-hints.ts'
import { isGuaranteed } from '../hints/pod-quality.ts'
import type { AdmissionCounts } from './topology-metrics.ts'

/** `topologyManagerScope`: aligns each container by itself, or all of a pod together. */
export type TopologyScope = 'container' | 'pod'

export interface TopologyManagerOptions extends MergeOptions {
  readonly scope?: TopologyScope
  /** Writes the checkpoints: called whenever allocations may have changed. */
  readonly save?: () => void
  /** Counts the decisions and their durations. */
  readonly counts?: AdmissionCounts
  readonly clock?: Clock
  /** Called for each container that is about to be created. */
  readonly starts?: (pod: Pod, container: Container) => void
}

/** The decision for a container (or, under the pod's name alone, for all of them), and its reason. */
export interface TopologyDecision {
  readonly container: string | undefined
  readonly hints: readonly { readonly provider: string; readonly hints: ProviderHints }[]
  readonly verdict: MergedHint
}

/** The number of pods whose decisions are kept for reports. */
export const MOST_DECISIONS = 1000

/**
 * The kubelet's topology manager: collects the hints of all providers, lets the policy decide, and has the providers allocate accordingly.
 * As in the kubelet, it runs before all other admission checks.
 */
export class TopologyManager implements AdmitHandler {
  readonly name = 'topology'
  readonly #providers: readonly HintProvider[]
  readonly #layout: NumaLayout
  readonly #options: TopologyManagerOptions
  readonly #decisions = new Map<string, readonly TopologyDecision[]>()

  constructor(providers: readonly HintProvider[], layout: NumaLayout, options: TopologyManagerOptions) {
    this.#providers = providers
    this.#layout = layout
    this.#options = options
  }

  get policy(): TopologyPolicy {
    return this.#options.policy
  }

  get scope(): TopologyScope {
    return this.#options.scope ?? 'container'
  }

  /** The decisions for a pod; those of the oldest pods are dropped. */
  decisions(uid: string): readonly TopologyDecision[] {
    return this.#decisions.get(uid) ?? []
  }

  prepare(request: PrepareRequest, signal: AbortSignal): Promise<Refusal | undefined> | undefined {
    const waits = this.#providers.flatMap((provider) => provider.ready?.(request, signal) ?? [])
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
  }

  async admit({ pod }: AdmitRequest, signal: AbortSignal): Promise<Refusal | undefined> {
    const { counts, clock } = this.#options
    const startMs = clock?.monotonic() ?? 0
    const refusal = await this.#admit(pod, signal)
    counts?.requested((clock?.monotonic() ?? 0) - startMs)
    if (refusal !== undefined) counts?.failed()
    this.#save()
    return refusal
  }

  async #admit(pod: Pod, signal: AbortSignal): Promise<Refusal | undefined> {
    const decisions: TopologyDecision[] = []
    this.#keep(pod, decisions)
    try {
      const together = this.#options.scope === 'pod' ? this.#decide(pod, undefined, decisions) : undefined
      if (together?.admit === false) return this.#misaligned('pod')
      for (const container of allocatedContainers(pod)) {
        const verdict = together ?? this.#decide(pod, container, decisions)
        if (!verdict.admit) {
          this.#release(pod)
          return this.#misaligned('container')
        }
        for (const provider of this.#providers) await provider.allocate(pod, container, verdict.hint, signal)
        if (together === undefined) this.#options.counts?.aligned('container', true)
      }
      if (together !== undefined) this.#options.counts?.aligned('pod', true)
      return undefined
    } catch (error) {
      this.#release(pod)
      signal.throwIfAborted()
      return refusalOf(error)
    }
  }

  #misaligned(scope: TopologyScope): Refusal {
    this.#options.counts?.aligned(scope, false)
    return AFFINITY
  }

  release(pod: Pod): void {
    this.#release(pod)
    this.#save()
  }

  retain(podUids: ReadonlySet<string>): void {
    for (const provider of this.#providers) provider.retain?.(podUids)
    this.#save()
  }

  #release(pod: Pod): void {
    for (const provider of this.#providers) provider.release(pod)
  }

  #save(): void {
    this.#options.save?.()
  }

  /** Under a static manager, the resources of Guaranteed pods cannot be resized. */
  resizeRefusal(pod: Pod, given: Pod): ResizeRefusal | undefined {
    if (!isGuaranteed(pod)) return undefined
    for (const { fixed } of this.#providers) {
      if (fixed === undefined) continue
      const requested = allocatedContainers(pod).find((c) => differs(fixed.resource, c, allocatedContainers(given)))
      if (requested === undefined) continue
      const message = `Resize is infeasible for Guaranteed Pods alongside ${fixed.policy}`
      return { kind: 'Infeasible', resource: fixed.resource, message, word: 'Infeasible' }
    }
    return undefined
  }

  async beforeStart(pod: Pod, container: Container): Promise<void> {
    this.#options.starts?.(pod, container)
  }

  additions(pod: Pod, container: Container): ContainerAdditions | undefined {
    let joined: ContainerAdditions | undefined
    for (const provider of this.#providers) {
      const more = provider.additions?.(pod, container)
      if (more === undefined) continue
      joined = joined === undefined ? more : joinAdditions(joined, more)
    }
    return joined
  }

  #decide(pod: Pod, container: Container | undefined, decisions: TopologyDecision[]): MergedHint {
    if (this.#options.policy === 'none') return mergeHints([], this.#layout, this.#options)
    const hints = this.#providers.map((provider) => ({
      provider: provider.name,
      hints: container === undefined ? provider.podHints(pod) : provider.containerHints(pod, container),
    }))
    const verdict = mergeHints(
      hints.map((h) => h.hints),
      this.#layout,
      this.#options,
    )
    decisions.push({ container: container?.name, hints, verdict })
    return verdict
  }

  #keep(pod: Pod, decisions: readonly TopologyDecision[]): void {
    const uid = pod.metadata.uid ?? ''
    this.#decisions.delete(uid)
    this.#decisions.set(uid, decisions)
    const [oldest] = this.#decisions.keys()
    if (this.#decisions.size > MOST_DECISIONS && oldest !== undefined) this.#decisions.delete(oldest)
  }
}

function differs(resource: string, { name, resources }: Container, given: readonly Container[]): boolean {
  const amount = (of: Container['resources']) => parseQuantity(String(of?.requests?.[resource] ?? '0'))
  return !amount(resources).equals(amount(given.find((g) => g.name === name)?.resources))
}

const AFFINITY: Refusal = { reason: 'TopologyAffinityError', message: 'Resources cannot be allocated with Topology locality' }

/** An error may have its own reason; any other is unexpected. */
function refusalOf(error: unknown): Refusal {
  const message = messageOf(error)
  if (error instanceof Error && 'reason' in error && typeof error.reason === 'string') return { reason: error.reason, message }
  return { reason: 'UnexpectedAdmissionError', message: `Allocate failed due to ${message}, which is unexpected` }
}

const joinAdditions = (a: ContainerAdditions, b: ContainerAdditions): ContainerAdditions => ({
  environment: [...(a.environment ?? []), ...(b.environment ?? [])],
  mounts: [...(a.mounts ?? []), ...(b.mounts ?? [])],
  devices: [...(a.devices ?? []), ...(b.devices ?? [])],
  cdiDevices: [...(a.cdiDevices ?? []), ...(b.cdiDevices ?? [])],
  annotations: { ...a.annotations, ...b.annotations },
  resources: { ...a.resources, ...b.resources },
})
