import type { Review } from '../../../apiserver/extension-points.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import type { SelfSubjectRulesReview } from '../../../resources/types/authorization.ts'
import type { RuleResolver } from '../authorizers/rule-resolver.ts'

/** SelfSubjectRulesReview: the requesting user's rules in a namespace, as far as authorizers can list them. */
export function selfSubjectRulesReview(rulesOf: RuleResolver): Review<SelfSubjectRulesReview> {
  return ({ input, user }) => {
    const namespace = input.spec?.namespace ?? ''
    if (namespace === '') throw badRequest('no namespace on request')
    const { resourceRules, nonResourceRules, incomplete, errors } = rulesOf(user, namespace)
    const { apiVersion, kind } = input
    return {
      apiVersion,
      kind,
      metadata: {},
      spec: {},
      status: {
        resourceRules: [...resourceRules],
        nonResourceRules: [...nonResourceRules],
        incomplete,
        ...(errors.length === 0 ? {} : { evaluationError: joinErrors(errors) }),
      },
    }
  }
}
