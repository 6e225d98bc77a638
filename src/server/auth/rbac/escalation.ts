import type { Steps } from '../../../base/steps.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import { type GroupResource, notFound } from '../../../machinery/status-error.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'
import { compact, ruleText } from './policy-rule.ts'
import type { RbacPolicy } from './rbac-policy.ts'
import { uncovered } from './uncovered.ts'

/** Who grants, and by writing what. */
interface Granting {
  readonly user: UserInfo
  readonly namespace: string
  /** Named by the errors about missing roles, as upstream. */
  readonly resource: GroupResource
}

/** Why the user may not grant these rules: permissions that the user does not have. Undefined if the user may. */
export function* escalationFault(
  policy: RbacPolicy,
  { user, namespace, resource }: Granting,
  wanted: readonly PolicyRule[],
): Steps<string | undefined> {
  const scopes = namespace === '' ? [''] : ['', namespace]
  const held: PolicyRule[] = []
  const errors: string[] = []
  for (const scope of scopes) {
    const holdings = policy.holdings(user, scope)
    for (const grant of holdings.roles) {
      yield
      const rules = holdings.rulesOf(grant)
      if (rules === undefined) errors.push(notFound(resource, grant.binding.roleRef.name).message)
      for (const rule of rules ?? []) held.push(rule)
    }
  }
  const result = yield* uncovered(held, wanted)
  const who = `user ${goQuote(user.name)} (groups=[${user.groups.map(goQuote).join(' ')}])`
  if (result.kind === 'too many') return `${who} is attempting to grant ${result.permissions} RBAC permissions: too many to compare them`
  const { missing } = result
  if (missing.length === 0) return undefined
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${[...new Set(compact(missing).map(ruleText))].sort().join('\n')}`
  return errors.length === 0 ? text : `${text}; resolution errors: [${joinErrors(errors)}]`
}
