import { semanticEqual } from '../../machinery/equal.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import type { ClusterRole, PolicyRule } from '../../resources/types/rbac.ts'

/** The rules of a role that is the sum of others; undefined for any other role, and if it has them already. Pure. */
export function planAggregation(role: ClusterRole, roles: readonly ClusterRole[]): readonly PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined
  const rules: PolicyRule[] = []
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const compiled = compileLabelSelector(selector)
    const chosen = roles
      .filter((r) => r.metadata.name !== role.metadata.name && compiled.matches(r.metadata.labels))
      .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    for (const rule of chosen.flatMap((r) => r.rules ?? [])) if (!rules.some((r) => semanticEqual(r, rule))) rules.push(rule)
  }
  return semanticEqual(rules, role.rules) ? undefined : rules
}
