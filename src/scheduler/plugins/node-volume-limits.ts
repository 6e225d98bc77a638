import type { PodInfo } from '../cache/pod-info.ts'
import type { Listers } from '../framework/listers.ts'
import type { PluginFactory } from '../framework/plugin.ts'
import { READS_ANEW } from '../framework/prepared.ts'
import { unschedulable } from '../framework/verdict.ts'
import { volumesOf } from './pod-claims.ts'

const NAME = 'NodeVolumeLimits'
const TOO_MANY = unschedulable(NAME, 'node(s) exceed max volume count')

/** Limits the volumes of a CSI driver on a node to the number in its CSINode. */
export const nodeVolumeLimits: PluginFactory = () => ({
  name: NAME,
  scope: 'cluster',
  filter(pod, { table, listers }) {
    const wanted = csiVolumes(pod, listers)
    if (wanted.size === 0) return undefined
    return {
      ...READS_ANEW,
      check(row) {
        const limits = limitsOf(table.names[row] ?? '', listers)
        if (limits.size === 0) return undefined
        const present = new Set<string>()
        for (const other of table.pods[row] ?? []) for (const id of csiVolumes(other, listers).keys()) present.add(id)
        for (const [driver, limit] of limits) {
          const fresh = [...wanted].filter(([id, d]) => d === driver && !present.has(id)).length
          const there = [...present].filter((id) => id.startsWith(`${driver}/`)).length
          if (fresh > 0 && there + fresh > limit) return TOO_MANY
        }
        return undefined
      },
    }
  },
  hints: {
    'node-added': () => true,
    'assigned-pod-deleted': (_pod, { pod: gone }) =>
      (gone?.spec.volumes ?? []).some((v) => v.persistentVolumeClaim !== undefined || v.ephemeral !== undefined),
    'changed/csinodes': () => true,
    'changed/persistentvolumeclaims': () => true,
  },
})

/** `driver/handle` → driver. */
const csiVolumes = (pod: PodInfo, listers: Listers): ReadonlyMap<string, string> =>
  new Map(
    volumesOf(pod, listers).flatMap(({ spec: { csi } }) =>
      csi === undefined ? [] : [[`${csi.driver}/${csi.volumeHandle}`, csi.driver] as const],
    ),
  )

function limitsOf(node: string, listers: Listers): ReadonlyMap<string, number> {
  const drivers = listers.get('csinodes', '', node)?.spec?.drivers ?? []
  return new Map(drivers.flatMap((d) => (d.allocatable?.count === undefined ? [] : [[d.name, d.allocatable.count] as const])))
}
