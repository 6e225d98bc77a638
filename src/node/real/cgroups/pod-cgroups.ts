import path from 'node:path'
import { podLimits, podRequests } from '../../../resources/pod/pod-requests.ts'
import { type QosClass, qosClass } from '../../../resources/pod/qos.ts'
import { containersOf, type Pod } from '../../types/pod.ts'
import { CPU_PERIOD_US, quotaOf, sharesOf } from '../isolation/cpu-amounts.ts'
import type { CgroupAmounts, Cgroups } from './cgroup-files.ts'
import { type ResizeDirection, type ResizedResource, resizeSteps } from './resize-steps.ts'

const QOS_FOLDERS: Readonly<Record<QosClass, string>> = { Guaranteed: '', Burstable: 'burstable', BestEffort: 'besteffort' }
const QOS_CLASSES: readonly QosClass[] = ['Guaranteed', 'Burstable', 'BestEffort']

/**
 * The control groups of a node's pods: one for each pod, below one of its quality of service, as the kubelet's `cgroupfs` driver makes
 * them.
 */
export class PodCgroups {
  readonly #cgroups: Cgroups
  /** `/kubepods`, below the node's own root. */
  readonly #root: string
  readonly #all: CgroupAmounts
  readonly #requests = new Map<string, number>()
  /** Groups of pods that have gone, in which something still ran. */
  readonly #busy = new Set<string>()

  /** `all`: what the pods of the node are held to together. */
  constructor(cgroups: Cgroups, root: string, all: CgroupAmounts = {}) {
    this.#cgroups = cgroups
    this.#all = all
    this.#root = path.join('/', root, 'kubepods')
  }

  parentOf(pod: Pod): string {
    return path.join(this.#root, QOS_FOLDERS[qosClass(pod.spec)], `pod${pod.metadata.uid}`)
  }

  /** Makes the pod's, or changes its amounts. */
  apply(pod: Pod): void {
    this.#busy.delete(this.parentOf(pod))
    this.#cgroups.apply(this.parentOf(pod), podAmounts(pod))
    this.#count(pod)
  }

  /** What the pod's is held to now; undefined: it has gone. */
  held(pod: Pod): CgroupAmounts | undefined {
    return this.#cgroups.read(this.parentOf(pod))
  }

  /** Brings amounts of one resource to those of the pod, but only upwards or only downwards. What it is held to after each step. */
  *resize(pod: Pod, resource: ResizedResource, direction: ResizeDirection): Generator<CgroupAmounts> {
    const group = this.parentOf(pod)
    let held = this.held(pod)
    for (const step of held === undefined ? [] : resizeSteps(held, podAmounts(pod), { resource, direction })) {
      held = { ...held, ...step }
      this.#cgroups.apply(group, { ...step, ...(step.cpuQuotaUs !== undefined && { cpuPeriodUs: CPU_PERIOD_US }) })
      yield held
    }
    this.#count(pod)
  }

  /** What reports show for unlimited memory. cgroup v1 has a number for it, v2 has none. */
  get unlimitedMemory(): string | undefined {
    return this.#cgroups.version === 1 ? '9007199254740988Ki' : undefined
  }

  /** Removes the pod's, at once or as soon as nothing runs in it any more. */
  remove(pod: Pod): void {
    const { uid = '' } = pod.metadata
    for (const qos of QOS_CLASSES) this.#remove(path.join(this.#root, QOS_FOLDERS[qos], `pod${uid}`))
    if (this.#requests.delete(uid)) this.#share()
  }

  /** Removes those of pods that are not among these. */
  retain(podUids: ReadonlySet<string>): void {
    for (const qos of QOS_CLASSES) {
      const folder = path.join(this.#root, QOS_FOLDERS[qos])
      for (const name of this.#cgroups.children(folder))
        if (name.startsWith('pod') && !podUids.has(name.slice(3))) this.#remove(path.join(folder, name))
    }
  }

  /**
   * Removes those in which something still ran before, and kills it, as the kubelet does: containerd leaves processes when its client was
   * killed while it made a container.
   */
  removeBusy(): void {
    for (const group of this.#busy) {
      this.#cgroups.kill(group)
      this.#remove(group)
    }
  }

  #remove(group: string): void {
    if (this.#cgroups.remove(group)) this.#busy.delete(group)
    else this.#busy.add(group)
  }

  /** Burstable pods share what they ask for together; pods that ask for nothing share the least there is. */
  #count(pod: Pod): void {
    if (qosClass(pod.spec) === 'Burstable') this.#requests.set(pod.metadata.uid ?? '', podRequests(pod.spec).get('cpu')?.milliValue() ?? 0)
    this.#share()
  }

  #share(): void {
    this.#cgroups.apply(this.#root, this.#all)
    const burstable = [...this.#requests.values()].reduce((a, b) => a + b, 0)
    this.#cgroups.apply(path.join(this.#root, QOS_FOLDERS.Burstable), { cpuShares: sharesOf(burstable) })
    this.#cgroups.apply(path.join(this.#root, QOS_FOLDERS.BestEffort), { cpuShares: sharesOf(0) })
  }
}

/** What all containers of a pod are held to together: a limit only where each of them has one. Pure. */
export function podAmounts(pod: Pod): CgroupAmounts {
  const [requests, limits] = [podRequests(pod.spec), podLimits(pod.spec)]
  const whole = pod.spec.resources?.limits ?? {}
  const lasting = containersOf(pod).filter(({ role }) => role !== 'ephemeral')
  const limited = (name: string) =>
    Object.hasOwn(whole, name) || lasting.every(({ container }) => Object.hasOwn(container.resources?.limits ?? {}, name))
  // What a RuntimeClass adds to a pod without requests is not promised to it.
  const promised = qosClass(pod.spec) === 'BestEffort' ? undefined : (requests.get('cpu') ?? limits.get('cpu'))
  const cpu = limited('cpu') ? limits.get('cpu')?.milliValue() : undefined
  const memory = limited('memory') ? limits.get('memory')?.value() : undefined
  return {
    cpuShares: sharesOf(promised?.milliValue() ?? 0),
    cpuPeriodUs: CPU_PERIOD_US,
    cpuQuotaUs: cpu === undefined ? -1 : quotaOf(cpu),
    memoryLimitBytes: memory ?? -1,
  }
}
