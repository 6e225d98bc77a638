import { semanticEqual } from '../../machinery/equal.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'

/** The rules of a role that is the sum of others; undefined for any other role, and where they stand already. Pure. */
export function planAggregation(role: KubeObject, roles: readonly KubeObject[]): readonly JsonObject[] | undefined {
  if (role.aggregationRule == null) return undefined
  const rules: JsonObject[] = []
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const compiled = compileLabelSelector(selector)
    const chosen = roles
      .filter((r) => r.metadata.name !== role.metadata.name && compiled.matches(r.metadata.labels))
      .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    for (const rule of chosen.flatMap((r): JsonObject[] => r.rules ?? [])) if (!rules.some((r) => semanticEqual(r, rule))) rules.push(rule)
  }
  return semanticEqual(rules, role.rules) ? undefined : rules
}
