import { SparseMap } from '../../base/collections/sparse-map.ts'
import { exponentialBounds, type Family } from '../../base/exposition.ts'
import { CounterMetric, HistogramMetric } from '../../base/metrics.ts'
import type { ContainerRole } from '../types/pod.ts'
import type { MetricSource } from './metric-source.ts'

/** Prometheus' default buckets, in seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** How long pods take to start, in the kubelet's buckets. */
const START_SECONDS = [0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600]
const PULL_SECONDS = [1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600]

const MB = 1024 * 1024
const GB = 1024 * MB
/** The sizes of images that share a label, by their least size. */
const SIZES = [
  ['GT100GB', 100 * GB],
  ['60GB-100GB', 60 * GB],
  ['40GB-60GB', 40 * GB],
  ['30GB-40GB', 30 * GB],
  ['20GB-30GB', 20 * GB],
  ['10GB-20GB', 10 * GB],
  ['5GB-10GB', 5 * GB],
  ['1GB-5GB', GB],
  ['500MB-1GB', 500 * MB],
  ['100MB-500MB', 100 * MB],
  ['10MB-100MB', 10 * MB],
] as const

/** What the worker of a pod did in one step: the first, one after the pod changed, or any other. */
export type SyncKind = 'create' | 'update' | 'sync'

const TYPES: Readonly<Record<ContainerRole, string>> = {
  main: 'container',
  init: 'init_container',
  sidecar: 'init_container',
  ephemeral: 'ephemeral_container',
}

/** The metrics, which all nodes of a process share; each node makes those that it needs. */
const COUNTERS = {
  operations: {
    name: 'kubelet_runtime_operations_total',
    help: 'Calls of the runtime.',
    labels: ['operation_type'],
  },
  operationErrors: {
    name: 'kubelet_runtime_operations_errors_total',
    help: 'Calls of the runtime that failed.',
    labels: ['operation_type'],
  },
  sandboxErrors: {
    name: 'kubelet_run_podsandbox_errors_total',
    help: 'Sandboxes that could not be created.',
    labels: ['runtime_handler'],
  },
  startedPods: { name: 'kubelet_started_pods_total', help: 'Attempts to create a sandbox.' },
  failedPods: { name: 'kubelet_started_pods_errors_total', help: 'Those that failed.' },
  startedContainers: {
    name: 'kubelet_started_containers_total',
    help: 'Attempts to start a container.',
    labels: ['container_type'],
  },
  failedContainers: {
    name: 'kubelet_started_containers_errors_total',
    help: 'Those that failed, by the reason.',
    labels: ['code', 'container_type'],
  },
} as const
const HISTOGRAMS = {
  operationSeconds: {
    name: 'kubelet_runtime_operations_duration_seconds',
    help: 'How long calls of the runtime took.',
    labels: ['operation_type'],
    bounds: exponentialBounds(0.005, 2.5, 14),
  },
  sandboxSeconds: {
    name: 'kubelet_run_podsandbox_duration_seconds',
    help: 'How long the creation of sandboxes took.',
    labels: ['runtime_handler'],
    bounds: SECONDS,
  },
  pullSeconds: {
    name: 'kubelet_image_pull_duration_seconds',
    help: 'How long pulls of images took, by the size of the image.',
    labels: ['image_size_in_bytes'],
    bounds: PULL_SECONDS,
  },
  syncSeconds: {
    name: 'kubelet_pod_worker_duration_seconds',
    help: 'How long the steps of pods took.',
    labels: ['operation_type'],
    bounds: SECONDS,
  },
  startSeconds: {
    name: 'kubelet_pod_start_duration_seconds',
    help: 'From when the agent saw a pod first until it ran.',
    bounds: START_SECONDS,
  },
  totalSeconds: {
    name: 'kubelet_pod_start_total_duration_seconds',
    help: 'From the creation of a pod until it ran.',
    bounds: START_SECONDS,
  },
  containers: {
    name: 'kubelet_containers_per_pod_count',
    help: 'Containers of pods.',
    bounds: exponentialBounds(1, 2, 5),
  },
} as const

/** What the agent does for its pods, under the kubelet's names. */
export class PodMetrics implements MetricSource {
  readonly #counters = new SparseMap<CounterMetric>()
  readonly #histograms = new SparseMap<HistogramMetric>()

  called(operation: string, seconds: number, failed: boolean): void {
    const values = [operation]
    this.#count('operations').add(values)
    this.#histogram('operationSeconds').observe(seconds, values)
    if (failed) this.#count('operationErrors').add(values)
  }

  sandboxMade(handler: string, seconds: number, failed: boolean): void {
    this.#count('startedPods').add()
    this.#histogram('sandboxSeconds').observe(seconds, [handler])
    if (!failed) return
    this.#count('failedPods').add()
    this.#count('sandboxErrors').add([handler])
  }

  pulled(sizeBytes: number, seconds: number): void {
    this.#histogram('pullSeconds').observe(seconds, [SIZES.find(([, least]) => sizeBytes >= least)?.[0] ?? '0-10MB'])
  }

  starting(role: ContainerRole): void {
    this.#count('startedContainers').add([TYPES[role]])
  }

  startFailed(role: ContainerRole, reason: string): void {
    this.#count('failedContainers').add([reason, TYPES[role]])
  }

  synced(kind: SyncKind, seconds: number): void {
    this.#histogram('syncSeconds').observe(seconds, [kind])
  }

  /** The agent begins with a pod that it has not known. */
  begun(containers: number): void {
    this.#histogram('containers').observe(containers)
  }

  /** The pod runs for the first time: so long after the agent saw it, and after it was created. */
  running(sinceSeen: number, sinceCreation: number): void {
    this.#histogram('startSeconds').observe(sinceSeen)
    this.#histogram('totalSeconds').observe(sinceCreation)
  }

  families(): readonly Family[] {
    const counted = Object.keys(COUNTERS).map((name) => this.#count(name as keyof typeof COUNTERS))
    const observed = Object.keys(HISTOGRAMS).map((name) => this.#histogram(name as keyof typeof HISTOGRAMS))
    return [...counted, ...observed].map(({ family }) => family)
  }

  #count(name: keyof typeof COUNTERS): CounterMetric {
    const known = this.#counters.get(name) ?? new CounterMetric(COUNTERS[name])
    this.#counters.set(name, known)
    return known
  }

  #histogram(name: keyof typeof HISTOGRAMS): HistogramMetric {
    const known = this.#histograms.get(name) ?? new HistogramMetric(HISTOGRAMS[name])
    this.#histograms.set(name, known)
    return known
  }
}
