import type { ContainerResources, PodRef } from '../container-spec.ts'
import type { ContainerStatus, Image, PodFilter, SandboxStatus } from '../runtime.ts'
import * as containers from './api/container.ts'
import type * as images from './api/image.ts'
import type { LinuxResources } from './api/resources.ts'
import { type ListedSandbox, SANDBOX_READY } from './api/sandbox.ts'

/** The runtime's answers as our own statuses. Pure. */

/** Labels by which the containers of a pod are found, as the kubelet writes them. */
export const LABELS = {
  container: 'io.kubernetes.container.name',
  podName: 'io.kubernetes.pod.name',
  podNamespace: 'io.kubernetes.pod.namespace',
  podUid: 'io.kubernetes.pod.uid',
} as const

/**
 * The labels of what a filter selects. The containers of other programs in the same runtime belong to no pod: lists without a filter show
 * them too, and they are ignored.
 */
export const labelsOf = ({ podUid }: PodFilter): ReadonlyMap<string, string> =>
  new Map(podUid === undefined ? [] : [[LABELS.podUid, podUid]])

export const podOf = (labels: ReadonlyMap<string, string>): PodRef => ({
  uid: labels.get(LABELS.podUid) ?? '',
  name: labels.get(LABELS.podName) ?? '',
  namespace: labels.get(LABELS.podNamespace) ?? '',
})

/** Nanoseconds as milliseconds; 0 is no time. */
const millisecondsOf = (nanoseconds: number) => Math.floor(nanoseconds / 1e6)

export function sandboxStatus(sandbox: ListedSandbox, ips: readonly string[]): SandboxStatus {
  const { id, metadata, state, createdAt } = sandbox
  return {
    id,
    pod: { uid: metadata?.uid ?? '', name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' },
    attempt: metadata?.attempt ?? 0,
    state: state === SANDBOX_READY ? 'ready' : 'not-ready',
    createdAtMs: millisecondsOf(createdAt),
    ips,
  }
}

export interface ContainerReport {
  /** As the list has it. */
  readonly listed: containers.ListedContainer
  readonly status: containers.StatusMessage
  /** What the container left as its last words. */
  readonly lastWords: string | undefined
  /** `containerd://…` */
  readonly id: string
}

export function containerStatus({ listed, status, lastWords, id }: ContainerReport): ContainerStatus {
  const state = containers.CONTAINER_STATES[status.state] ?? 'unknown'
  const { uid = 0, gid = 0, supplementalGroups = [] } = status.user?.linux ?? {}
  const message = [lastWords, status.message].find(Boolean)
  return {
    id,
    sandboxId: listed.sandboxId,
    pod: podOf(status.labels),
    name: status.metadata?.name ?? '',
    attempt: status.metadata?.attempt ?? 0,
    state,
    createdAtMs: millisecondsOf(status.createdAt),
    // What ended without having started did so at the beginning of time, as the kubelet reports it.
    ...((status.startedAt > 0 || state === 'exited') && { startedAtMs: millisecondsOf(status.startedAt) }),
    ...(state === 'exited' && {
      finishedAtMs: millisecondsOf(status.finishedAt),
      exitCode: status.exitCode,
      ...(status.reason !== '' && { reason: status.reason }),
      ...(message !== undefined && { message }),
    }),
    image: { name: status.image?.image ?? '', id: status.imageRef },
    annotations: Object.fromEntries(status.annotations),
    resources: resourcesFrom(status.resources?.linux),
    ...(status.user?.linux && { user: { uid, gid, supplementalGroups } }),
  }
}

function resourcesFrom(linux: LinuxResources | undefined): ContainerResources {
  if (linux === undefined) return {}
  const { cpuShares, cpuQuota, cpuPeriod, memoryLimit, cpus, memoryNodes, oomScoreAdj } = linux
  return {
    ...(cpuShares !== 0 && { cpuShares }),
    ...(cpuQuota !== 0 && { cpuQuotaUs: cpuQuota }),
    ...(cpuPeriod !== 0 && { cpuPeriodUs: cpuPeriod }),
    ...(memoryLimit !== 0 && { memoryLimitBytes: memoryLimit }),
    ...(cpus !== '' && { cpus }),
    ...(memoryNodes !== '' && { memoryNodes }),
    ...(oomScoreAdj !== 0 && { oomScoreAdj }),
  }
}

export function imageOf({ id, tags, digests, size, uid, username, pinned }: images.ImageMessage): Image {
  return {
    name: tags[0] ?? digests[0] ?? id,
    id,
    sizeBytes: size,
    ...(uid !== undefined && { uid: uid.value }),
    ...(username !== '' && { username }),
    ...(pinned && { pinned }),
  }
}

/** The newest first. */
export const newestFirst = <T extends { readonly createdAtMs: number; readonly attempt: number }>(list: readonly T[]): readonly T[] =>
  list.toSorted((a, b) => b.createdAtMs - a.createdAtMs || b.attempt - a.attempt)
