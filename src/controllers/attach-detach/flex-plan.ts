import { claimOf } from '../../resources/pod/mounted-claims.ts'
import type { AttachedVolume, Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import { type FlexVolume, flexVolumeName, inlineFlexVolume, persistentFlexVolume } from '../../sdk/flex-volume/flex-volume.ts'
import { isFinished } from '../pods/pod-state.ts'
import { MANAGED_ANNOTATION } from './plan.ts'

/** A FlexVolume that pods of a node mount. */
export interface WantedFlexVolume {
  readonly volume: FlexVolume
  readonly pods: readonly Pod[]
}

export interface FlexView {
  readonly node: Node
  readonly pods: readonly Pod[]
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined
  readonly volume: (name: string) => PersistentVolume | undefined
}

/** The FlexVolumes of pods of a node that have not ended, by their names in its status; drivers say which of them are attached. Pure. */
export function wantedFlexVolumes({ node, pods, claim, volume }: FlexView): ReadonlyMap<string, WantedFlexVolume> {
  const wanted = new Map<string, WantedFlexVolume>()
  if (node.metadata.annotations?.[MANAGED_ANNOTATION] !== 'true') return wanted
  for (const pod of pods) {
    if (isFinished(pod)) continue
    const { namespace = '' } = pod.metadata
    for (const source of pod.spec.volumes ?? []) {
      const name = claimOf(pod, source)
      const bound = name === undefined ? undefined : claim(namespace, name)
      const persistent = bound?.status?.phase === 'Bound' ? volume(bound.spec?.volumeName ?? '') : undefined
      const readOnly = source.persistentVolumeClaim?.readOnly === true
      const found = inlineFlexVolume(source, namespace) ?? (persistent && persistentFlexVolume(persistent, namespace, readOnly))
      if (found === undefined) continue
      const unique = flexVolumeName(found)
      wanted.set(unique, { volume: wanted.get(unique)?.volume ?? found, pods: [...(wanted.get(unique)?.pods ?? []), pod] })
    }
  }
  return wanted
}

/** What is attached to the node, no pod needs, and its agent has unmounted. Volumes of CSI drivers have names of their own. Pure. */
export function idleFlexVolumes({ status }: Node, wanted: ReadonlyMap<string, WantedFlexVolume>): readonly AttachedVolume[] {
  const inUse = new Set(status?.volumesInUse)
  return (status?.volumesAttached ?? []).filter(({ name }) => !name.startsWith('kubernetes.io/') && !wanted.has(name) && !inUse.has(name))
}
