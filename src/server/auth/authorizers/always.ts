import { ALLOWED, type Authorizer } from '../../../apiserver/identity/authorizer.ts'
import { NO_RULES, type RuleResolver } from './rule-resolver.ts'

/** Allows every request. */
export const alwaysAllow: Authorizer = { authorize: () => ALLOWED }

export const everythingAllowed: RuleResolver = () => ({
  ...NO_RULES,
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
})

/** No opinion about any request: a later authorizer may still allow it. The name is upstream's. */
export const alwaysDeny: Authorizer = { authorize: () => ({ verdict: 'no-opinion', reason: 'Everything is forbidden.' }) }

export const nothingAllowed: RuleResolver = () => NO_RULES
