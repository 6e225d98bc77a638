import { podRequests } from '../../resources/pod/pod-requests.ts'
import { priorityOf } from '../admission/critical-pod.ts'
import type { Pod } from '../types/pod.ts'
import type { Signal } from './thresholds.ts'
import { type FileUse, isEphemeral, type PodUse, sumOf, volumesOf } from './usage.ts'

export interface RankInput {
  readonly signal: Signal
  readonly pods: readonly Pod[]
  readonly use: (pod: Pod) => PodUse
  readonly separateImages: boolean
}

/**
 * The pods in the order of eviction: first those that use more than they request (process ids have no requests), then by lower priority,
 * then by usage above the request. Pure.
 */
export function rankPods({ signal, pods, use, separateImages }: RankInput): readonly Pod[] {
  const known = pods.map((pod) => ({ pod, ...measureOf(signal, pod, use(pod), separateImages) }))
  return known
    .sort((a, b) => Number(b.exceeds) - Number(a.exceeds) || priorityOf(a.pod) - priorityOf(b.pod) || b.beyond - a.beyond)
    .map(({ pod }) => pod)
}

function measureOf(signal: Signal, pod: Pod, use: PodUse, separateImages: boolean): { readonly exceeds: boolean; readonly beyond: number } {
  const requested = (name: string) => podRequests(pod.spec).get(name)?.value() ?? 0
  switch (signal) {
    case 'memory.available':
    case 'allocatableMemory.available': {
      const beyond = memoryOf(use) - requested('memory')
      return { exceeds: beyond > 0, beyond }
    }
    case 'pid.available':
      return { exceeds: false, beyond: use.processes }
    case 'nodefs.available':
    case 'imagefs.available': {
      const beyond = filesOf(signal, pod, use, separateImages).bytes - requested('ephemeral-storage')
      return { exceeds: beyond > 0, beyond }
    }
    case 'nodefs.inodesFree':
    case 'imagefs.inodesFree': {
      const { inodes } = filesOf(signal, pod, use, separateImages)
      // As upstream, which subtracts bytes from inodes here.
      return { exceeds: inodes > 0, beyond: inodes - requested('ephemeral-storage') }
    }
  }
}

export const memoryOf = ({ containers }: PodUse): number => containers.reduce((sum, c) => sum + c.memoryBytes, 0)

/** The usage of a pod on the file system of a signal. */
function filesOf(signal: Signal, pod: Pod, use: PodUse, separateImages: boolean): FileUse {
  const layers = use.containers.map((c) => c.layer)
  if (separateImages && signal.startsWith('imagefs')) return sumOf(layers)
  const volumes = volumesOf(pod, use, (v) => isEphemeral(v) || v.hostPath !== undefined)
  return sumOf([...use.containers.map((c) => c.logs), volumes, ...(separateImages ? [] : layers)])
}
