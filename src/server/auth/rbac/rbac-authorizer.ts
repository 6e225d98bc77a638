import type { Attributes, Authorizer, Decision } from '../../../apiserver/identity/authorizer.ts'
import { NO_OPINION } from '../../../apiserver/identity/authorizer.ts'
import { Pace, type Steps, soonOrInTurns } from '../../../base/steps.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { Subject } from '../../../resources/types/rbac.ts'
import { ruleAllows } from './policy-rule.ts'
import { type Grant, missingRole, type RbacPolicy } from './rbac-policy.ts'

/**
 * Allows what the user's roles allow; cluster role bindings first, then those of the request's namespace. An administrator of a namespace
 * may bind roles of megabytes to everybody: a long search gives others their turn.
 */
export function rbacAuthorizer(policy: RbacPolicy): Authorizer {
  return { authorize: (attributes) => soonOrInTurns(decide(policy, attributes)) }
}

function* decide(policy: RbacPolicy, attributes: Attributes): Steps<Decision> {
  const pace = new Pace()
  const errors: string[] = []
  for (const scope of attributes.namespace === '' ? EVERYWHERE : ['', attributes.namespace]) {
    const held = policy.holdings(attributes.user, scope)
    for (const grant of held.roles) {
      if (pace.due(WORK_OF_ROLE)) yield
      const rules = held.rulesOf(grant)
      if (rules === undefined) errors.push(missingRole(grant))
      for (const rule of rules ?? []) {
        if (pace.due(rule.verbs.length + (rule.resources?.length ?? 0))) yield
        if (ruleAllows(rule, attributes)) return allowedBy(grant)
      }
    }
  }
  return nothing(errors)
}

const EVERYWHERE = ['']

/** Reading a role, in microseconds. */
const WORK_OF_ROLE = 10

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
