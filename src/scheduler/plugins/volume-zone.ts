import type { PluginFactory } from '../framework/plugin.ts'
import { READS_ANEW } from '../framework/prepared.ts'
import { unresolvable } from '../framework/verdict.ts'
import { claimsOf } from './pod-claims.ts'

const NAME = 'VolumeZone'
const OTHER_ZONE = unresolvable(NAME, 'node(s) had no available volume zone')
/** The labels of a volume that count, and the label of a node that says the same if the node lacks the first. */
const KEYS: readonly (readonly [string, string])[] = ['zone', 'region'].flatMap((what) => {
  const key = `topology.kubernetes.io/${what}`
  return [[key, key] as const, [`failure-domain.beta.kubernetes.io/${what}`, key] as const]
})

/** Volumes labelled with a zone or region can be used there only. */
export const volumeZone: PluginFactory = () => ({
  name: NAME,
  scope: 'cluster',
  filter(pod, { table, listers }) {
    const named = claimsOf(pod, listers).flatMap(({ claim, ephemeral }) => (ephemeral ? [] : (claim?.spec?.volumeName ?? [])))
    const wanted: { key: string; same: string; values: readonly string[] }[] = []
    for (const name of named) {
      const volume = listers.get('persistentvolumes', '', name)
      if (volume === undefined) return { refuse: unresolvable(NAME, `persistentvolume ${JSON.stringify(name)} not found`) }
      for (const [key, same] of KEYS) {
        const zones = volume.metadata.labels?.[key]
        if (zones !== undefined) wanted.push({ key, same, values: zones.split('__') })
      }
    }
    if (wanted.length === 0) return undefined
    return {
      ...READS_ANEW,
      check(row) {
        const labels = table.labels[row] ?? {}
        if (KEYS.every(([key]) => labels[key] === undefined)) return undefined
        const inside = wanted.every(({ key, same, values }) => values.includes(labels[key] ?? labels[same] ?? ''))
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
