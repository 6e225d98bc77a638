import type { Steps } from '../../../base/steps.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'
import { compact, ruleText } from './policy-rule.ts'
import type { RbacPolicy } from './rbac-policy.ts'
import { uncovered } from './uncovered.ts'

/** Why the user may not grant these rules: permissions that the user does not have. Undefined if the user may. */
export function* escalationFault(
  policy: RbacPolicy,
  user: UserInfo,
  namespace: string,
  wanted: readonly PolicyRule[],
): Steps<string | undefined> {
  const scopes = namespace === '' ? [''] : ['', namespace]
  const held = scopes.map((scope) => policy.holdings(user, scope))
  const result = yield* uncovered(
    held.flatMap((h) => h.grants.map((g) => g.rule)),
    wanted,
  )
  const who = `user ${goQuote(user.name)} (groups=[${user.groups.map(goQuote).join(' ')}])`
  if (result.kind === 'too many') return `${who} is attempting to grant ${result.permissions} RBAC permissions: too many to compare them`
  const { missing } = result
  if (missing.length === 0) return undefined
  const errors = held.flatMap((h) => h.errors)
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${[...new Set(compact(missing).map(ruleText))].sort().join('\n')}`
  return errors.length === 0 ? text : `${text}; resolution errors: ${joinErrors(errors)}`
}
