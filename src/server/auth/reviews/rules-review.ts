import type { Review } from '../../../apiserver/extension-points.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import type { PolicyRule } from '../rbac/policy-rule.ts'
import type { RbacPolicy } from '../rbac/rbac-policy.ts'

/** What may I do in this namespace, as far as roles tell? (SelfSubjectRulesReview) */
export function selfSubjectRulesReview(policy: RbacPolicy): Review {
  return ({ input, user }) => {
    const namespace: string = input.spec?.namespace ?? ''
    if (namespace === '') throw badRequest('no namespace on request')
    const held = [policy.holdings(user, ''), policy.holdings(user, namespace)]
    const rules = held.flatMap((h) => h.grants.map((g) => g.rule))
    const errors = held.flatMap((h) => h.errors)
    return {
      ...input,
      spec: {},
      status: {
        resourceRules: rules.filter((r) => (r.resources ?? []).length > 0).map(resourceRule),
        nonResourceRules: rules
          .filter((r) => (r.nonResourceURLs ?? []).length > 0)
          .map((r) => ({ verbs: r.verbs, nonResourceURLs: r.nonResourceURLs })),
        incomplete: false,
        ...(errors.length === 0 ? {} : { evaluationError: joinErrors(errors) }),
      },
    }
  }
}

const resourceRule = (r: PolicyRule) => ({
  verbs: r.verbs,
  apiGroups: r.apiGroups ?? [],
  resources: r.resources ?? [],
  ...((r.resourceNames ?? []).length > 0 ? { resourceNames: r.resourceNames } : {}),
})
