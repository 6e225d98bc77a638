import type { PluginFactory } from '../framework/plugin.ts'
import { READS_ANEW } from '../framework/prepared.ts'
import { unresolvable } from '../framework/verdict.ts'
import { volumesOf } from './pod-claims.ts'

const NAME = 'VolumeZone'
const OTHER_ZONE = unresolvable(NAME, 'node(s) had no available volume zone')
const KEYS: readonly (readonly [string, string])[] = [
  ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
]

/** Volumes labelled with a zone or region can be used there only. */
export const volumeZone: PluginFactory = () => ({
  name: NAME,
  scope: 'cluster',
  filter(pod, { table, listers }) {
    const wanted = volumesOf(pod, listers).flatMap((volume) =>
      KEYS.flatMap((keys) =>
        keys.flatMap((key) =>
          volume.metadata.labels?.[key] === undefined ? [] : [{ keys, values: volume.metadata.labels[key].split('__') }],
        ),
      ),
    )
    if (wanted.length === 0) return undefined
    return {
      ...READS_ANEW,
      check(row) {
        const labels = table.labels[row] ?? {}
        if (KEYS.every((keys) => keys.every((key) => labels[key] === undefined))) return undefined
        const inside = wanted.every(({ keys, values }) => keys.some((key) => values.includes(labels[key] ?? '')))
        return inside ? undefined : OTHER_ZONE
      },
    }
  },
  hints: {
    'node-added': () => true,
    'node-updated': () => true,
    'pod-updated': () => true,
    'changed/persistentvolumes': () => true,
    'changed/persistentvolumeclaims': () => true,
  },
})
