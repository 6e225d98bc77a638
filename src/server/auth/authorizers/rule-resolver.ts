import { joinErrors } from '../../../machinery/join-errors.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'

export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
}

export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** A user's rules in a namespace, as far as they can be listed. */
export interface Rules {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** There may be more rules that cannot be listed. */
  readonly incomplete: boolean
  readonly errors: readonly string[]
}

/** Lists a user's rules. */
export type RuleResolver = (user: UserInfo, namespace: string) => Rules

export const NO_RULES: Rules = Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] })

/** The rules of all resolvers. */
export function unionOfRules(resolvers: readonly RuleResolver[]): RuleResolver {
  return (user, namespace) => {
    const all = resolvers.map((resolve) => resolve(user, namespace))
    return {
      resourceRules: all.flatMap((r) => r.resourceRules),
      nonResourceRules: all.flatMap((r) => r.nonResourceRules),
      incomplete: all.some((r) => r.incomplete),
      errors: all.flatMap((r) => (r.errors.length === 0 ? [] : [joinErrors(r.errors)])),
    }
  }
}
