import { claimOf } from '../../../resources/pod/mounted-claims.ts'
import { podRef } from '../../types/pod.ts'
import type { DiskUse } from '../../types/volume-use.ts'
import type { KubeletHost } from '../kubelet-host.ts'
import type { NodeUsage } from '../usage.ts'
import type { Family, Sample } from './exposition.ts'

const FIGURES = [
  ['capacity_bytes', 'capacityBytes', 'Size of a volume, in bytes'],
  ['available_bytes', 'availableBytes', 'What is free of a volume, in bytes'],
  ['used_bytes', 'usedBytes', 'What is used of a volume, in bytes'],
  ['inodes', 'inodes', 'Most inodes of a volume'],
  ['inodes_free', 'inodesFree', 'Inodes of a volume that are free'],
  ['inodes_used', 'inodesUsed', 'Inodes of a volume that are used'],
] as const

interface ClaimUse {
  readonly labels: Readonly<Record<string, string>>
  readonly use: Partial<DiskUse>
}

/** `kubelet_volume_stats_*`: how full the volumes of claims are. What is not known of a volume is left out. */
export async function volumeFamilies(host: KubeletHost, { pods }: NodeUsage, signal: AbortSignal): Promise<readonly Family[]> {
  const claims = new Map<string, ClaimUse>()
  for (const { object } of pods)
    for (const volume of object?.spec.volumes ?? []) {
      const claim = object && claimOf(object, volume)
      if (object === undefined || claim === undefined) continue
      const { namespace, uid } = podRef(object)
      const key = `${namespace}/${claim}`
      // A claim that several pods share is one volume.
      if (claims.has(key)) continue
      const measured = host.volumeUse?.(uid).get(volume.name)
      const use = measured ?? (await simulatedUse(host, { namespace, claim, uid, volume: volume.name }, signal))
      if (use !== undefined) claims.set(key, { labels: { namespace, persistentvolumeclaim: claim }, use })
    }
  return FIGURES.map(([name, figure, help]) => ({
    name: `kubelet_volume_stats_${name}`,
    type: 'gauge',
    stability: 'ALPHA',
    help,
    samples: [...claims.values()].flatMap(({ labels, use }): Sample[] => {
      const value = use[figure]
      return value === undefined ? [] : [{ labels, value }]
    }),
  }))
}

interface ClaimedVolume {
  readonly namespace: string
  readonly claim: string
  readonly uid: string
  readonly volume: string
}

/** A simulated volume is as large as its claim; what containers write into it is known. */
async function simulatedUse(host: KubeletHost, { namespace, claim, uid, volume }: ClaimedVolume, signal: AbortSignal) {
  const capacityBytes = await host.claimCapacity?.(namespace, claim, signal)
  if (capacityBytes === undefined) return undefined
  const usedBytes = host.runtime.podFiles?.(uid)?.volumes.get(volume) ?? 0
  return { capacityBytes, usedBytes, availableBytes: Math.max(0, capacityBytes - usedBytes) }
}
