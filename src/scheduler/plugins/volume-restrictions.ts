import type { PodInfo } from '../cache/pod-info.ts'
import type { Listers } from '../framework/listers.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { READS_ANEW } from '../framework/prepared.ts'
import { unschedulable } from '../framework/verdict.ts'
import { claimsOf } from './pod-claims.ts'

const NAME = 'VolumeRestrictions'
const IN_USE = unschedulable(NAME, 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode')

/** A claim for one pod at a time is used by one pod at a time, on whichever node. */
export const volumeRestrictions: PluginFactory = () => ({
  name: NAME,
  scope: 'cluster',
  filter(pod, { table, listers }) {
    const exclusive = exclusiveClaims(pod, listers)
    if (exclusive.size === 0) return undefined
    const uses = (other: PodInfo) =>
      other.namespace === pod.namespace &&
      (other.pod.spec.volumes ?? []).some((v) => exclusive.has(v.persistentVolumeClaim?.claimName ?? ''))
    const counter = table.counter(JSON.stringify(['claims', pod.namespace, [...exclusive].sort()]), uses)
    return { ...READS_ANEW, check: (row) => ((counter.counts[row] ?? 0) > 0 ? IN_USE : undefined) }
  },
  hints: {
    'assigned-pod-deleted': (pod, { pod: gone }, { listers }) => {
      const exclusive = exclusiveClaims(pod, listers)
      return (
        gone?.metadata.namespace === pod.namespace &&
        (gone.spec.volumes ?? []).some((v) => exclusive.has(v.persistentVolumeClaim?.claimName ?? ''))
      )
    },
    'changed/persistentvolumeclaims': () => true,
    'pod-updated': () => true,
  },
})

const exclusiveClaims = (pod: PodInfo, listers: Listers): ReadonlySet<string> =>
  new Set(claimsOf(pod, listers).flatMap(({ name, claim }) => (claim?.spec?.accessModes?.includes('ReadWriteOncePod') ? [name] : [])))
