import type { KubeObject } from '../machinery/object.ts'
import { Quantity, tryParseQuantity } from '../machinery/quantity.ts'
import { simulatedKey } from '../machinery/simulated-annotations.ts'
import { listObjects } from '../resources/read-objects.ts'
import { PODS } from '../resources/refs.ts'
import type { PodSpec, PodStatus } from '../resources/types/core.ts'
import type { Amount } from './script.ts'
import { type Figure, type Find, figuresAt, workloadOf } from './scripted-object.ts'

/** A pod as the API server has it, or a node of this process. */
export type MeasuredPod = KubeObject<PodSpec, PodStatus>

/** What a container uses. */
export interface ContainerUsage {
  readonly name: string
  readonly cpu: Quantity
  readonly memory: Quantity
}

/** A measured resource: the scale of its figures, and the default usage of a container. */
interface Measured {
  readonly name: 'cpu' | 'memory'
  /** Amounts are whole in this power of ten. */
  readonly scale: number
  /** The share of its request that a container uses, in percent. */
  readonly percent: bigint
  readonly otherwise: Quantity
}

const CPU: Measured = { name: 'cpu', scale: -9, percent: 20n, otherwise: Quantity.milli(5) }
const MEMORY: Measured = { name: 'memory', scale: 0, percent: 50n, otherwise: Quantity.of(16 * 1024 * 1024, 'BinarySI') }

/** The usage of all simulated nodes, at one moment. Each figure is computed once. */
export class Measurement {
  readonly #find: Find
  readonly #nowMs: number
  readonly #simulated: (nodeName: string) => boolean
  /** How many pods carry what a workload carries, by its uid. */
  #carriers: Map<string, number> | undefined

  constructor(deps: { readonly find: Find; readonly nowMs: number; readonly simulated: (nodeName: string) => boolean }) {
    this.#find = deps.find
    this.#nowMs = deps.nowMs
    this.#simulated = deps.simulated
  }

  /** Pods that are measured: they run on a simulated node. */
  isMeasured(pod: MeasuredPod): boolean {
    return pod.status?.phase === 'Running' && pod.spec?.nodeName !== undefined && this.#simulated(pod.spec.nodeName)
  }

  /**
   * What the running containers of a pod use.
   * @throws {ScriptError} when an annotation cannot be read
   */
  usage(pod: MeasuredPod): readonly ContainerUsage[] {
    const running = runningContainers(pod)
    const cpu = this.#amounts(pod, running, CPU)
    const memory = this.#amounts(pod, running, MEMORY)
    return running.map(({ name }, i) => ({ name, cpu: cpu[i] ?? Quantity.zero, memory: memory[i] ?? Quantity.zero }))
  }

  /** A figure of a pod beyond its processor and memory: its own, or its part of that of its workload. */
  ofPod(pod: MeasuredPod, key: string): readonly (Omit<Figure, 'amount'> & { readonly quantity: Quantity })[] {
    const own = figuresAt({ object: pod, field: 'annotations', key }, this.#nowMs, startedMs(pod))
    const workload = own.length > 0 ? undefined : this.#workload(pod)
    const figures = workload === undefined ? own : figuresAt({ object: workload, field: 'annotations', key }, this.#nowMs)
    return figures.map(({ amount, ...figure }) => ({ ...figure, quantity: this.#part(amount, pod, -3) }))
  }

  #amounts(pod: MeasuredPod, running: readonly Running[], measured: Measured): readonly Quantity[] {
    const workload = this.#workload(pod)
    const said = (container: string | undefined, startMs: number | undefined): Amount | undefined => {
      const key = simulatedKey(measured.name, container)
      const [own] = figuresAt({ object: pod, field: 'annotations', key }, this.#nowMs, startMs)
      if (own !== undefined || workload === undefined) return own?.amount
      return figuresAt({ object: workload, field: 'annotations', key }, this.#nowMs)[0]?.amount
    }
    const alone = running.map(({ name, startMs }) => said(name, startMs))
    const whole = said(undefined, startedMs(pod))
    const others = BigInt(alone.filter((amount) => amount === undefined).length)
    return running.map((container, i) => {
      const own = alone[i]
      if (own !== undefined) return this.#part(own, pod, measured.scale)
      if (whole !== undefined) return dividedBy(this.#part(whole, pod, measured.scale), others, measured.scale)
      const request = tryParseQuantity(container.requests[measured.name] ?? '')
      if (request === undefined || request.isZero()) return modest(measured, container.limits[measured.name])
      return dividedBy(request, 100n, measured.scale, measured.percent)
    })
  }

  /** What of a shared amount falls to this pod: nothing while it is not ready. */
  #part({ quantity, shared }: Amount, pod: MeasuredPod, scale: number): Quantity {
    if (!shared) return quantity
    if (!carries(pod)) return new Quantity(0n, 0, quantity.format)
    const uid = this.#workload(pod)?.metadata.uid
    return uid === undefined ? quantity : dividedBy(quantity, BigInt(Math.max(1, this.#carriersOf().get(uid) ?? 1)), scale)
  }

  #carriersOf(): ReadonlyMap<string, number> {
    if (this.#carriers !== undefined) return this.#carriers
    const found = new Map<string, number>()
    for (const pod of listObjects(this.#find.reader, PODS)) {
      if (!carries(pod)) continue
      const uid = this.#workload(pod)?.metadata.uid
      if (uid !== undefined) found.set(uid, (found.get(uid) ?? 0) + 1)
    }
    this.#carriers = found
    return found
  }

  #workload(pod: MeasuredPod): KubeObject | undefined {
    return workloadOf(pod, this.#find)
  }
}

/** The default usage is small, and never above the limit. */
function modest({ percent, scale, otherwise }: Measured, limit: string | undefined): Quantity {
  const most = tryParseQuantity(limit ?? '')
  return most === undefined || most.isZero() || most.compare(otherwise) >= 0 ? otherwise : dividedBy(most, 100n, scale, percent)
}

/** `of` percent, or parts, of a quantity, whole in a power of ten. */
function dividedBy(quantity: Quantity, by: bigint, scale: number, times = 1n): Quantity {
  return by === 0n ? quantity : new Quantity((quantity.scaledValue(scale) * times) / by, scale, quantity.format)
}

interface Running {
  readonly name: string
  readonly startMs: number | undefined
  readonly requests: Readonly<Record<string, string>>
  readonly limits: Readonly<Record<string, string>>
}

function runningContainers(pod: MeasuredPod): readonly Running[] {
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])]
  const specs = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]
  return statuses.flatMap(({ name, state }): Running[] => {
    if (state?.running === undefined) return []
    const { requests = {}, limits = {} } = specs.find((c) => c.name === name)?.resources ?? {}
    return [{ name, startMs: msOf(state.running.startedAt), requests, limits }]
  })
}

const startedMs = (pod: MeasuredPod): number | undefined => msOf(pod.status?.startTime)
const msOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time))

/** Work goes to pods that are ready. */
const carries = (pod: MeasuredPod): boolean =>
  pod.metadata.deletionTimestamp === undefined && (pod.status?.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True')
