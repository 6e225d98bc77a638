import { type Family, labels, type Sample } from '../../base/exposition.ts'
import { gauge } from '../../base/metrics.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'

/** Plugins that an in-tree source of a volume belongs to; a CSI driver is named after them. */
const PLUGINS = {
  hostPath: 'kubernetes.io/host-path',
  local: 'kubernetes.io/local-volume',
  nfs: 'kubernetes.io/nfs',
  iscsi: 'kubernetes.io/iscsi',
  fc: 'kubernetes.io/fc',
  flexVolume: 'kubernetes.io/flexvolume',
} as const

/** Volumes and claims by whether they are bound, as kube-controller-manager counts them. Pure. */
export function volumeFamilies(
  volumes: readonly Readonly<PersistentVolume>[],
  claims: readonly Readonly<PersistentVolumeClaim>[],
): readonly Family[] {
  const count = <T>(name: string, help: string, of: readonly T[], labelsOf: (one: T) => Readonly<Record<string, string>>): Family => {
    const counts = new Map<string, number>()
    for (const one of of) {
      const key = labels(labelsOf(one))
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return gauge(
      { name: `pv_collector_${name}_count`, help },
      [...counts].map(([text, n]): Sample => [text, n]),
    )
  }
  const [boundVolumes, freeVolumes] = split(volumes, ({ status }) => status?.phase === 'Bound')
  const [boundClaims, freeClaims] = split(claims, ({ status }) => status?.phase === 'Bound')
  const ofVolume = ({ spec }: PersistentVolume) => ({ storage_class: spec?.storageClassName ?? '' })
  const ofClaim = ({ metadata, spec }: PersistentVolumeClaim) => ({
    namespace: metadata.namespace ?? '',
    storage_class: spec?.storageClassName ?? '',
    volume_attributes_class: spec?.volumeAttributesClassName ?? '',
  })
  return [
    count('total_pv', 'Volumes by what they are made of.', volumes, ({ spec }) => ({
      plugin_name: pluginOf(spec),
      volume_mode: spec?.volumeMode ?? 'Filesystem',
    })),
    count('bound_pv', 'Volumes that are bound.', boundVolumes, ofVolume),
    count('unbound_pv', 'Volumes that are not bound.', freeVolumes, ofVolume),
    count('bound_pvc', 'Claims that are bound.', boundClaims, ofClaim),
    count('unbound_pvc', 'Claims that are not bound.', freeClaims, ofClaim),
  ]
}

function pluginOf(spec: PersistentVolume['spec']): string {
  if (spec?.csi !== undefined) return `kubernetes.io/csi:${spec.csi.driver}`
  const known = Object.entries(PLUGINS).find(([source]) => spec?.[source as keyof typeof PLUGINS] !== undefined)
  return known?.[1] ?? 'N/A'
}

function split<T>(all: readonly T[], holds: (one: T) => boolean): [readonly T[], readonly T[]] {
  return [all.filter(holds), all.filter((one) => !holds(one))]
}
