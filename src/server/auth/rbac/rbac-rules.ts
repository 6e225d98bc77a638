import type { UserInfo } from '../../../machinery/resource/user.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'
import type { ResourceRule, RuleResolver } from '../authorizers/rule-resolver.ts'
import { type Grant, type Holdings, missingRole, type RbacPolicy } from './rbac-policy.ts'

/** Most texts of all listed rules. A namespace's administrator may bind a role of a megabyte to everybody, a thousand times. */
export const MOST_TEXTS = 200_000

/** The rules of the roles that are bound to the user, once for each binding, as far as they are not too many. */
export function rbacRules(policy: RbacPolicy): RuleResolver {
  return (user, namespace) => {
    const { rules, errors, incomplete } = listRules(policy, user, namespace)
    return {
      resourceRules: rules.filter((r) => (r.resources ?? []).length > 0).map(resourceRule),
      nonResourceRules: rules
        .filter((r) => (r.nonResourceURLs ?? []).length > 0)
        .map((r) => ({ verbs: r.verbs, nonResourceURLs: r.nonResourceURLs ?? [] })),
      incomplete,
      errors,
    }
  }
}

const resourceRule = ({ verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule): ResourceRule => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames.length > 0 ? { resourceNames } : {}),
})

interface ListedRules {
  readonly rules: readonly PolicyRule[]
  readonly errors: readonly string[]
  readonly incomplete: boolean
}

function listRules(policy: RbacPolicy, user: UserInfo, namespace: string): ListedRules {
  const rules: PolicyRule[] = []
  const errors = new Set<string>()
  let texts = 0
  for (const [held, grant] of grantsIn(policy, user, ['', namespace])) {
    const ofRole = held.rulesOf(grant)
    if (ofRole === undefined) errors.add(missingRole(grant))
    for (const rule of ofRole ?? []) {
      texts += textsOf(rule)
      if (texts > MOST_TEXTS)
        return { rules, errors: [...errors, `there are more rules than are listed: ${rules.length}`], incomplete: true }
      rules.push(rule)
    }
  }
  return { rules, errors: [...errors], incomplete: false }
}

function* grantsIn(policy: RbacPolicy, user: UserInfo, scopes: readonly string[]): Generator<readonly [held: Holdings, grant: Grant]> {
  for (const scope of scopes) {
    const held = policy.holdings(user, scope)
    for (const grant of held.bindings) yield [held, grant]
  }
}

const textsOf = ({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) =>
  1 + verbs.length + apiGroups.length + resources.length + resourceNames.length + nonResourceURLs.length
