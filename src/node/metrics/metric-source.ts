import type { Family } from '../../base/exposition.ts'

/** A part of a node that counts something, under the kubelet's names. */
export interface MetricSource {
  /** What it has counted until now. Made when somebody asks. */
  families(): readonly Family[]
}

/** What several parts tell together; of two families with one name the first stands. */
export function familiesOf(sources: readonly MetricSource[]): readonly Family[] {
  const byName = new Map<string, Family>()
  for (const source of sources) for (const family of source.families()) if (!byName.has(family.name)) byName.set(family.name, family)
  return [...byName.values()]
}
