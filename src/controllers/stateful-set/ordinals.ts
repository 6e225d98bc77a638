import type { StatefulSet } from '../../resources/types/apps.ts'
import type { Pod } from '../../resources/types/core.ts'

/** The number at the end of the pod's name; -1 if the name is not one of the set's. */
export function ordinalOf(set: StatefulSet, pod: Pod): number {
  const name = pod.metadata.name ?? ''
  const prefix = `${set.metadata.name}-`
  const rest = name.slice(prefix.length)
  return name.startsWith(prefix) && /^(0|[1-9]\d*)$/.test(rest) ? Number(rest) : -1
}

/** The ordinals of a set: from `first` up to, not including, `end`. A rollout leaves those below `partitionEnd` alone. */
export function ordinalsOf({ spec }: StatefulSet): { readonly first: number; readonly end: number; readonly partitionEnd: number } {
  const first = spec.ordinals?.start ?? 0
  return { first, end: first + (spec.replicas ?? 1), partitionEnd: first + (spec.updateStrategy?.rollingUpdate?.partition ?? 0) }
}

/** Whether a pod's ordinal is one of the set's. */
export function inRange(set: StatefulSet, pod: Pod): boolean {
  const { first, end } = ordinalsOf(set)
  const ordinal = ordinalOf(set, pod)
  return ordinal >= first && ordinal < end
}

/** The ordinals without a pod. Lazy: a set may have 2³¹−1 replicas. */
export function* absentOrdinals(set: StatefulSet, pods: readonly Pod[]): Generator<number> {
  const present = new Set(pods.map((p) => ordinalOf(set, p)))
  const { first, end } = ordinalsOf(set)
  for (let ordinal = first; ordinal < end; ordinal++) if (!present.has(ordinal)) yield ordinal
}
