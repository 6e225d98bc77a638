import { ALLOWED, type Authorizer } from '../../../apiserver/identity/authorizer.ts'
import { NO_RULES, type RuleResolver } from './rule-resolver.ts'

/** Everything to everybody. */
export const alwaysAllow: Authorizer = { authorize: () => ALLOWED }

export const everythingAllowed: RuleResolver = () => ({
  ...NO_RULES,
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
})

/** No opinion about anything: whoever comes after it may still allow. Upstream calls it so nevertheless. */
export const alwaysDeny: Authorizer = { authorize: () => ({ verdict: 'no-opinion', reason: 'Everything is forbidden.' }) }

export const nothingAllowed: RuleResolver = () => NO_RULES
