import { sortedByKey } from '../../../base/by-text.ts'
import type { Json, JsonObject } from '../../../machinery/object.ts'
import { parseQuantity } from '../../../machinery/quantity.ts'
import { podLimits, podRequests } from '../../../resources/pod/pod-requests.ts'
import type { PodCondition, ResourceList } from '../../../resources/types/core.ts'
import type { HeldAmounts, ResizeRefusal } from '../../types/admit-handler.ts'
import { type Container, containerStatuses, type Pod } from '../../types/pod.ts'
import { withPodLimits } from '../spec/resolve-resources.ts'

type ContainerResources = NonNullable<Container['resources']>

/** The state of an in-place resize (KEP-1287). */
export type ResizeState =
  | { readonly kind: 'none' }
  /** It has to wait, or is impossible. */
  | { readonly kind: 'pending'; readonly reason: 'Deferred' | 'Infeasible'; readonly message: string; readonly generation: number }
  /** It is allocated, but not completely actuated. */
  | { readonly kind: 'in-progress'; readonly generation: number; readonly fault?: string }

/** A container whose resources have to be updated in the runtime. */
export interface Actuation {
  readonly name: string
  /** The container's resize policy requires a restart. */
  readonly restart: boolean
}

/**
 * The allocated resources of a pod's containers and the actuated ones of the runtime, which may differ from the spec. The state of one pod;
 * allocations by a previous agent are restored from the pod's status.
 */
export class PodResize {
  readonly #allocated = new Map<string, ContainerResources>()
  /** The allocated pod-level resources, if the spec has them. */
  #allocatedWhole: Pod['spec']['resources'] | undefined
  /** The pod-level limits of containers during a resize; others have the allocated ones. */
  readonly #podLimits = new Map<string, ResourceList>()
  #wholeChanged = false
  /** Shares one map until the two differ: most pods are never resized. */
  #actuated = this.#allocated
  /** The pod-level resources of the pod's cgroup. */
  #whole: Whole
  state: ResizeState = { kind: 'none' }

  constructor(pod: Pod) {
    this.#allocatedWhole = reportedPodResources(pod)
    for (const c of resizable(pod)) {
      const known = reportedResources(pod, c.name)
      this.#allocated.set(c.name, known ?? c.resources ?? {})
    }
    this.#whole = wholeOf(this.asAllocated(pod))
  }

  /** The pod with its allocated resources in the spec. */
  asAllocated(pod: Pod): Pod {
    const given = (list: readonly Container[] | undefined) =>
      list?.map((c) => {
        const resources = this.#allocated.get(c.name)
        return resources === undefined || same(resources, c.resources ?? {}) ? c : { ...c, resources }
      })
    const initContainers = given(pod.spec.initContainers)
    const resources = this.#allocatedWhole
    const containers = given(pod.spec.containers) ?? []
    return { ...pod, spec: { ...pod.spec, containers, ...(initContainers && { initContainers }), ...(resources && { resources }) } }
  }

  /** The actuated resources of a container. */
  actuated(name: string): ContainerResources | undefined {
    return this.#actuated.get(name)
  }

  /**
   * A running container's resources for the status: the allocated ones, with the amounts that the runtime has. An allocated limit is shown
   * at once where the runtime has none yet, since there is nothing that it could report; of a processor every container has a share.
   */
  reported(name: string): ContainerResources | undefined {
    const [allocated, actuated] = [this.#allocated.get(name), this.#actuated.get(name)]
    if (allocated === undefined || actuated === undefined || allocated === actuated) return actuated
    const limits = allocated.limits && { ...allocated.limits, ...actuated.limits }
    const requests = allocated.requests?.cpu && { cpu: LEAST_CPU, ...actuated.requests }
    return { ...actuated, ...(limits && { limits }), ...(requests && { requests }) }
  }

  allocated(name: string): ContainerResources | undefined {
    return this.#allocated.get(name)
  }

  /** The pod-level resources for the status. `measured`: what the machine holds a running pod to, if it says so. */
  podAmounts(pod: Pod, measured?: HeldAmounts): JsonObject {
    const given = wholeOf(this.asAllocated(pod))
    const { requests } = given
    const { requests: held, limits } = pod.status.phase === 'Running' ? asMeasured(inGroup(this.#whole), measured) : given
    return {
      ...(Object.keys(requests).length > 0 && { allocatedResources: requests }),
      resources: { ...(Object.keys(limits).length > 0 && { limits }), ...(Object.keys(held).length > 0 && { requests: held }) },
    }
  }

  /** Whether the pod's status reports the current state. */
  isReported(pod: Pod): boolean {
    return this.state.kind === 'none' && this.#actuated === this.#allocated && !this.wanted(pod)
  }

  /** Whether the spec differs from the allocation. */
  wanted(pod: Pod): boolean {
    const whole = !same(pod.spec.resources ?? {}, this.#allocatedWhole ?? {})
    return whole || resizable(pod).some((c) => !same(c.resources ?? {}, this.#allocated.get(c.name) ?? c.resources ?? {}))
  }

  /** Allocates what the spec requests, or records why it has to wait. True if the state changed. */
  decide(pod: Pod, resizeRefusal: ResizeRefusal | undefined): boolean {
    const generation = pod.metadata.generation ?? 1
    if (resizeRefusal !== undefined) {
      const { kind: reason, message } = resizeRefusal
      const before = this.state
      this.state = { kind: 'pending', reason, message, generation }
      return before.kind !== 'pending' || before.message !== message || before.generation !== generation
    }
    if (this.#actuated === this.#allocated) this.#actuated = new Map(this.#allocated)
    for (const { name, resources = {} } of resizable(pod)) {
      this.#allocated.set(name, resources)
      if (!this.#podLimits.has(name)) this.#podLimits.set(name, this.#allocatedWhole?.limits ?? {})
    }
    this.#wholeChanged = !same(pod.spec.resources ?? {}, this.#allocatedWhole ?? {})
    this.#allocatedWhole = pod.spec.resources
    this.state = { kind: 'in-progress', generation }
    return true
  }

  /** The containers to update in the runtime. */
  actuations(pod: Pod): readonly Actuation[] {
    return resizable(pod).flatMap((c) => {
      const { to, from } = this.#change(c.name)
      if (to === undefined || from === undefined || same(to, from)) return []
      const restart = (c.resizePolicy ?? []).some((p) => p.restartPolicy === 'RestartContainer' && differs(p.resourceName, from, to))
      return [{ name: c.name, restart }]
    })
  }

  /**
   * The containers with new amounts of one resource, and what the runtime should have for them: of the others they keep what they have. As
   * in the kubelet, those that get less come first, from the last to the first.
   */
  actuationsOf(pod: Pod, resource: 'memory' | 'cpu'): readonly { readonly name: string; readonly resources: ContainerResources }[] {
    const updates = this.actuations(pod).flatMap(({ name }) => {
      const { to = {}, from = {} } = this.#change(name)
      return differs(resource, from, to) ? [{ name, to, from }] : []
    })
    const shrinks = ({ to, from }: (typeof updates)[number]) => isLess(resource, to, from)
    const inOrder = [...updates.filter(shrinks).reverse(), ...updates.filter((u) => !shrinks(u))]
    return inOrder.map(({ name, to, from }) => ({ name, resources: withAmounts(from, to, resource) }))
  }

  /** What the runtime should have for a container, and what it has. */
  #change(name: string): { readonly to: ContainerResources | undefined; readonly from: ContainerResources | undefined } {
    const [to, from] = [this.#allocated.get(name), this.#actuated.get(name)]
    const limits = this.#allocatedWhole?.limits
    return { to: to && withPodLimits(to, limits), from: from && withPodLimits(from, this.#podLimits.get(name) ?? limits) }
  }

  /** Starts the actuation with the pod's cgroup. True if no running container has to change: then the resize is complete already. */
  begin(pod: Pod, runs: (name: string) => boolean): boolean {
    for (const { name } of this.actuations(pod)) if (!runs(name)) this.done(name)
    if (!this.#wholeChanged && this.actuations(pod).length === 0) {
      this.state = { kind: 'none' }
      return true
    }
    this.#whole = wholeWhileResizing(this.#whole, this.asAllocated(pod))
    return false
  }

  /** The runtime refused the resources, after the pod's cgroup was raised. True if the state changed. */
  failed(pod: Pod, fault: string): boolean {
    if (this.state.kind !== 'in-progress') return false
    const news = this.state.fault !== fault
    this.state = { ...this.state, fault }
    this.#whole = wholeRaised(this.#whole, this.asAllocated(pod))
    return news
  }

  /** All containers have ended: nothing is resized any more. */
  end(): void {
    if (this.state.kind === 'none') return
    this.state = { kind: 'none' }
    this.#actuated = this.#allocated
  }

  /** Records that the runtime has accepted a container's resources, or the amounts of one of them. */
  done(name: string, only?: 'memory' | 'cpu'): void {
    const given = this.#allocated.get(name)
    if (given === undefined) return
    const limits = this.#allocatedWhole?.limits ?? {}
    this.#actuated.set(name, only === undefined ? given : withAmounts(this.#actuated.get(name) ?? {}, given, only))
    this.#podLimits.set(name, only === undefined ? limits : withAmount(only, this.#podLimits.get(name), limits))
  }

  /** All containers are actuated. True if that completed a resize. */
  finish(pod: Pod): boolean {
    if (this.state.kind !== 'in-progress') return false
    this.state = { kind: 'none' }
    this.#podLimits.clear()
    this.#whole = wholeAfter(this.#whole, this.asAllocated(pod))
    return true
  }

  conditions(now: string): readonly PodCondition[] {
    const { state } = this
    const times = { status: 'True', lastProbeTime: now, lastTransitionTime: now } as const
    switch (state.kind) {
      case 'none':
        return []
      case 'pending': {
        const { reason, message, generation } = state
        return [{ type: 'PodResizePending', observedGeneration: generation, ...times, reason, message }]
      }
      case 'in-progress': {
        const why = state.fault === undefined ? {} : { reason: 'Error', message: state.fault }
        return [{ type: 'PodResizeInProgress', observedGeneration: state.generation, ...times, ...why }]
      }
    }
  }

  /** The JSON of an event about a resize. */
  report(pod: Pod, error?: string): string {
    const list = (containers: readonly Container[]) =>
      containers.map(({ name, resources = {} }) => ({ name, resources: ordered(resources) }))
    const { initContainers = [] } = pod.spec
    return JSON.stringify({
      ...(initContainers.length > 0 && { initContainers: list(initContainers) }),
      containers: list(pod.spec.containers),
      generation: pod.metadata.generation ?? 1,
      ...(error !== undefined && { error }),
    })
  }
}

/** Two shares, the least that the kernel gives: what a container without a request has. */
const LEAST_CPU = '2m'

interface Whole {
  readonly requests: JsonObject
  readonly limits: JsonObject
}

const wholeOf = ({ spec }: Pod): Whole => ({ requests: texts(podRequests(spec)), limits: texts(podLimits(spec)) })

/** The resources that a running pod's cgroup has: only CPU and memory. */
function inGroup({ requests, limits }: Whole): Whole {
  const shown = (amounts: JsonObject) => Object.fromEntries(Object.entries(amounts).filter(([name]) => name === 'cpu' || name === 'memory'))
  return { requests: shown(requests), limits: shown(limits) }
}

/** Memory that is asked for is no part of a group. */
function asMeasured(known: Whole, measured: HeldAmounts | undefined): Whole {
  if (measured === undefined) return known
  const { memory } = known.requests
  return { limits: measured.limits, requests: { ...measured.requests, ...(memory !== undefined && { memory }) } }
}

/** Whether every container of the pod has a limit of this kind: only then the pod's cgroup has one. */
const limited = (pod: Pod, name: string) =>
  pod.spec.resources?.limits?.[name] !== undefined || resizable(pod).every((c) => c.resources?.limits?.[name] !== undefined)

/** The resources of the pod's cgroup during a resize. */
function wholeWhileResizing(before: Whole, given: Pod): Whole {
  const { memory, ...others } = before.limits
  return { requests: before.requests, limits: { ...others, ...(memory !== undefined && limited(given, 'memory') && { memory }) } }
}

/** Its resources after the resize: memory requests are not part of a cgroup, and if a container has no CPU limit the old one remains. */
function wholeAfter(before: Whole, given: Pod): Whole {
  const { requests, limits } = wholeOf(given)
  const { memory: _, ...others } = before.limits
  return {
    requests: { ...requests, ...(before.requests.memory !== undefined && { memory: before.requests.memory }) },
    limits: {
      ...others,
      ...(limits.cpu !== undefined && limited(given, 'cpu') && { cpu: limits.cpu }),
      ...(limits.memory !== undefined && limited(given, 'memory') && { memory: limits.memory }),
    },
  }
}

/** Its resources if the containers were not updated: increases come before theirs, decreases after. */
function wholeRaised(before: Whole, given: Pod): Whole {
  const after = wholeAfter(before, given)
  const larger = (a: JsonObject, b: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(b).map(([name, to]) => [name, isMore(a[name], to) ? (a[name] ?? to) : to]))
  return { requests: larger(before.requests, after.requests), limits: larger(before.limits, after.limits) }
}

const isMore = (a: Json | undefined, b: Json | undefined) =>
  typeof a === 'string' && typeof b === 'string' && parseQuantity(a).compare(parseQuantity(b)) > 0

/** The containers that can be resized. */
const resizable = (pod: Pod): readonly Container[] => [...(pod.spec.initContainers ?? []), ...pod.spec.containers]

/** A container's allocated resources in the pod's status. */
function reportedResources(pod: Pod, name: string): ContainerResources | undefined {
  const reported = containerStatuses(pod).find((s) => s.name === name)
  if (reported?.resources === undefined) return undefined
  return { ...reported.resources, ...(reported.allocatedResources && { requests: reported.allocatedResources }) }
}

/** The allocated pod-level resources in the pod's status, for the resources of its spec. */
function reportedPodResources({ spec, status }: Pod): Pod['spec']['resources'] {
  const { allocatedResources, resources } = status
  if (spec.resources === undefined || allocatedResources === undefined) return spec.resources
  const given = (request: ResourceList = {}, reported: ResourceList = {}) =>
    Object.fromEntries(
      Object.entries(request).map(([name, amount]) => [name, sameAmount(amount, reported[name]) ? amount : (reported[name] ?? amount)]),
    )
  const { requests, limits } = spec.resources
  return {
    ...(requests && { requests: given(requests, allocatedResources) }),
    ...(limits && { limits: given(limits, resources?.limits) }),
  }
}

/** An amount that the status does not have counts as the requested one. */
const sameAmount = (request: string, reported: string | undefined) =>
  reported === undefined || parseQuantity(request).compare(parseQuantity(reported)) === 0

const texts = (totals: ReadonlyMap<string, { toString(): string }>): JsonObject =>
  Object.fromEntries([...totals].map(([name, amount]) => [name, amount.toString()]))

const same = (a: ContainerResources, b: ContainerResources) =>
  a === b || (sameAmounts(a.limits, b.limits) && sameAmounts(a.requests, b.requests))

/** An absent list equals an empty one. */
function sameAmounts(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
}

function ordered({ limits, requests }: ContainerResources): ContainerResources {
  const some = (amounts: ResourceList | undefined): amounts is ResourceList => amounts !== undefined && Object.keys(amounts).length > 0
  return { ...(some(limits) && { limits: sortedByKey(limits) }), ...(some(requests) && { requests: sortedByKey(requests) }) }
}

/** The resources with the amounts that others have of one resource. */
function withAmounts(resources: ContainerResources, others: ContainerResources, name: string): ContainerResources {
  const [limits, requests] = [withAmount(name, resources.limits, others.limits), withAmount(name, resources.requests, others.requests)]
  return { ...resources, limits, requests }
}

function withAmount(name: string, own: ResourceList = {}, other: ResourceList = {}): ResourceList {
  const { [name]: _, ...rest } = own
  return { ...rest, ...(other[name] !== undefined && { [name]: other[name] }) }
}

/** By limits, or by requests if the limits agree. */
function isLess(name: string, a: ContainerResources, b: ContainerResources): boolean {
  const amounts = a.limits?.[name] === b.limits?.[name] ? [a.requests?.[name], b.requests?.[name]] : [a.limits?.[name], b.limits?.[name]]
  const [left, right] = amounts.map((amount) => parseQuantity(amount ?? '0'))
  return left !== undefined && right !== undefined && left.compare(right) < 0
}

const differs = (name: string, a: ContainerResources, b: ContainerResources) =>
  a.requests?.[name] !== b.requests?.[name] || a.limits?.[name] !== b.limits?.[name]
