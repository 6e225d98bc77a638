import type { Family } from '../../base/exposition.ts'

/** A part of a node with metrics, named as the kubelet's. */
export interface MetricSource {
  /** The current metrics. Computed on request. */
  families(): readonly Family[]
}

/** The metrics of several sources; of two families with one name the first is used. */
export function familiesOf(sources: readonly MetricSource[]): readonly Family[] {
  const byName = new Map<string, Family>()
  for (const source of sources) for (const family of source.families()) if (!byName.has(family.name)) byName.set(family.name, family)
  return [...byName.values()]
}
