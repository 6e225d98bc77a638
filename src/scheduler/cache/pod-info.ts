import { CommonValues } from '../../base/collections/common-values.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import { type Keeper, keeperOf, kept } from '../../machinery/kept.ts'
import type { LabelSet } from '../../machinery/selectors/label-matcher.ts'
import { type HostPort, hostPortsOf } from '../../resources/pod/host-ports.ts'
import type { Container, Pod } from '../../resources/types/core.ts'
import { priorityOf } from '../pod-facts.ts'
import { type AffinityTerms, affinityTermsOf } from './affinity-term.ts'
import { DEFAULT_CPU_MILLIS, DEFAULT_MEMORY_BYTES, requestsOf } from './amounts.ts'

/** Facts that are derived from a pod once, and used often. */
export interface PodInfo {
  /** The latest state of the pod for which everything derived here is still true. */
  readonly pod: Readonly<Pod>
  /** `status.startTime`. */
  readonly startTime: string | undefined
  /** `namespace/name`. */
  readonly key: string
  readonly uid: string
  readonly namespace: string
  readonly labels: LabelSet
  readonly priority: number
  readonly terminating: boolean
  /** What the pod takes of its node; only amounts above zero. */
  readonly requests: readonly { readonly name: string; readonly amount: number }[]
  /** CPU and memory for scores: containers without requests count with a default. */
  readonly scoredCpu: number
  readonly scoredMemory: number
  readonly hostPorts: readonly HostPort[]
  readonly terms: AffinityTerms | undefined
  /** Equal for pods that every node-local plugin must judge alike. */
  readonly shape: string
}

const NO_LABELS: LabelSet = Object.freeze({})

/** What the scheduler keeps of a placed pod. Its object is rarely read again, and is left to the informer's store, which may pack it. */
export class PlacedPodInfo implements PodInfo {
  readonly key: string
  readonly uid: string
  readonly namespace: string
  readonly labels: LabelSet
  readonly priority: number
  readonly terminating: boolean
  readonly requests: PodInfo['requests']
  readonly scoredCpu: number
  readonly scoredMemory: number
  readonly hostPorts: readonly HostPort[]
  readonly terms: AffinityTerms | undefined
  readonly shape: string
  #keeper: Keeper<Pod>
  #startTime: string | undefined

  constructor(of: PodInfo) {
    this.key = of.key
    this.uid = of.uid
    this.namespace = of.namespace
    this.labels = COMMON.of(of.labels)
    this.priority = of.priority
    this.terminating = of.terminating
    this.requests = COMMON.of(of.requests)
    this.scoredCpu = of.scoredCpu
    this.scoredMemory = of.scoredMemory
    this.hostPorts = of.hostPorts.length === 0 ? NO_PORTS : of.hostPorts
    this.terms = of.terms
    this.shape = COMMON.of(of.shape)
    this.#keeper = kept(of.pod)
    this.#startTime = of.startTime
  }

  get pod(): Readonly<Pod> {
    return this.#keeper.object
  }

  get startTime(): string | undefined {
    return this.#startTime
  }

  /** A later state, of which all that is derived here is true as well. */
  becomes(pod: Readonly<Pod>): void {
    this.#keeper = kept(pod)
    this.#startTime = pod.status?.startTime
  }
}

const NO_PORTS: readonly HostPort[] = Object.freeze([])
/** What pods are alike in is held once. */
const COMMON = new CommonValues()

export function podInfo(pod: Readonly<Pod>): PodInfo {
  const { namespace = '', name = '', uid = '', labels = NO_LABELS, deletionTimestamp } = pod.metadata
  const requests = [...requestsOf(pod)].filter(([, amount]) => amount > 0).map(([resource, amount]) => ({ name: resource, amount }))
  const scored = requestsOf(pod, { nonMissing: true })
  return {
    pod,
    startTime: pod.status?.startTime,
    key: keeperOf(pod)?.key ?? (namespace === '' ? name : `${namespace}/${name}`),
    uid,
    namespace,
    labels,
    priority: priorityOf(pod),
    terminating: deletionTimestamp !== undefined,
    requests,
    scoredCpu: scored.get('cpu') ?? DEFAULT_CPU_MILLIS,
    scoredMemory: scored.get('memory') ?? DEFAULT_MEMORY_BYTES,
    hostPorts: hostPortsOf(pod.spec),
    terms: affinityTermsOf(pod),
    shape: shapeOf(pod),
  }
}

function shapeOf(pod: Readonly<Pod>): string {
  const { spec } = pod
  const ofContainer = (c: Readonly<Container>) => [c.image, c.resources?.requests, c.ports, c.restartPolicy]
  return encodeJson([
    spec.containers.map(ofContainer),
    spec.initContainers?.map(ofContainer),
    spec.resources?.requests,
    spec.overhead,
    spec.nodeSelector,
    spec.affinity?.nodeAffinity,
    spec.tolerations,
    spec.nodeName,
    spec.volumes?.map((v) => v.image?.reference).filter((image) => image !== undefined),
  ])
}
