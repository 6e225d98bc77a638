import type { Attributes, Authorizer, Decision } from '../../../apiserver/identity/authorizer.ts'
import { NO_OPINION } from '../../../apiserver/identity/authorizer.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { Subject } from '../../../resources/types/rbac.ts'
import { ruleAllows } from './policy-rule.ts'
import type { Grant, Holdings, RbacPolicy } from './rbac-policy.ts'

/** Allows what the user's roles allow; cluster role bindings first, then those of the request's namespace. */
export function rbacAuthorizer(policy: RbacPolicy): Authorizer {
  return {
    authorize(attributes) {
      const everywhere = policy.holdings(attributes.user, '')
      const found = firstThatAllows(everywhere, attributes)
      if (found !== undefined) return allowedBy(found)
      if (attributes.namespace === '') return nothing(everywhere.errors)
      const here = policy.holdings(attributes.user, attributes.namespace)
      const local = firstThatAllows(here, attributes)
      return local !== undefined ? allowedBy(local) : nothing([...everywhere.errors, ...here.errors])
    },
  }
}

function firstThatAllows(held: Holdings, attributes: Attributes): Grant | undefined {
  for (const grant of held.grants) if (ruleAllows(grant.rule, attributes)) return grant
  return undefined
}

const nothing = (errors: readonly string[]): Decision =>
  errors.length === 0 ? NO_OPINION : { verdict: 'no-opinion', reason: `RBAC: ${joinErrors(errors)}` }

const decisions = new WeakMap<Grant, Decision>()

/** Computed once per grant, because reviews show the text. */
function allowedBy(grant: Grant): Decision {
  let decision = decisions.get(grant)
  if (decision === undefined) {
    decision = { verdict: 'allow', reason: `RBAC: allowed by ${grantText(grant)}` }
    decisions.set(grant, decision)
  }
  return decision
}

/** `RoleBinding "b/ns" of Role "r" to User "u"` */
function grantText({ binding, subject }: Grant): string {
  const { name = '', namespace = '' } = binding.metadata
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding'
  return `${kind} ${goQuote(namespace === '' ? name : `${name}/${namespace}`)} of ${binding.roleRef.kind} ${goQuote(binding.roleRef.name)} to ${subjectText(subject, namespace)}`
}

const subjectText = (s: Subject, bindingNamespace: string) =>
  s.kind === 'ServiceAccount' ? `ServiceAccount ${goQuote(`${s.name}/${s.namespace || bindingNamespace}`)}` : `${s.kind} ${goQuote(s.name)}`
