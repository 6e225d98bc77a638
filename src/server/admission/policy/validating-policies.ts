import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import type { PolicyCounts } from '../../../apiserver/metrics/policy-counts.ts'
import { StatusError, type StatusReason } from '../../../machinery/status-error.ts'
import { type ActivationDeps, activation } from './activation.ts'
import { type Application, applicationsTo, type BoundDeps, isExempt, policiesOf, seenIn } from './bound-policies.ts'
import { inTurnsUntilAnswered, Pace, type Variables } from './evaluate.ts'
import { beginPolicyStep } from './policy-step.ts'
import type { AdmissionPolicy } from './policy-types.ts'
import { type Failure, type Validated, validatePolicy } from './validate-policy.ts'

const FAILURES = 'validation.policy.admission.k8s.io/validation_failure'
const MAX_ANNOTATION = 10 * 1024
const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413, Invalid: 422 }

export interface PolicyDeps extends BoundDeps, ActivationDeps {
  /** Counts validations that failed. */
  readonly counts?: Pick<PolicyCounts, 'note'> | undefined
}

/** ValidatingAdmissionPolicy: bound policies deny, warn, or audit. */
export function validatingPolicies(deps: PolicyDeps): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: (r) => !isExempt(r),
    validate(request) {
      const policies = policiesOf(deps.reader, 'validating')
      return policies.length === 0 ? undefined : validateAll(policies, request, deps)
    },
  }
}

interface Denial {
  readonly policy: string
  readonly binding: string | undefined
  readonly message: string
  readonly reason: string
}

async function validateAll(policies: readonly AdmissionPolicy[], request: AdmissionRequest, deps: PolicyDeps): Promise<void> {
  const findings = new Findings(deps.counts)
  const pace = new Pace()
  const seen = new Map<string, Variables>()
  for (const application of await applicationsTo(request, 'validating', policies, deps)) {
    const end = beginPolicyStep(request, { phase: 'validate', application, pace })
    if (application.kind === 'misconfigured') {
      findings.misconfigured(application)
      end('failed', application.message)
      continue
    }
    let variables = seen.get(application.version)
    if (variables === undefined) {
      variables = activation(await seenIn(application.version, request, deps), deps)
      seen.set(application.version, variables)
    }
    const shared = variables
    const { policy, params } = application
    const found = await inTurnsUntilAnswered(() => validatePolicy(policy, shared, params, pace))
    findings.applied(application, found, request)
    const [failure] = found.failures
    end(failure !== undefined && application.actions.includes('Deny') ? 'refused' : 'passed', failure?.message)
  }
  findings.publish(request)
  const [first] = findings.denials
  if (first !== undefined) throw denied(first, request)
}

/** The combined results of all policies. */
class Findings {
  readonly denials: Denial[] = []
  readonly #counts: PolicyDeps['counts']
  readonly #annotations = new Map<string, Set<string>>()

  constructor(counts: PolicyDeps['counts']) {
    this.#counts = counts
  }

  misconfigured({ policy, binding, message }: Application & { readonly kind: 'misconfigured' }): void {
    if (policy.spec.failurePolicy !== 'Ignore') this.denials.push({ policy: policy.name, binding, message, reason: 'Invalid' })
  }

  applied(application: Application & { readonly kind: 'apply' }, found: Validated, request: AdmissionRequest): void {
    const { policy, binding } = application
    for (const failure of found.failures) this.#failed(application, failure, request)
    for (const { key, value } of found.annotations) {
      const values = this.#annotations.get(`${policy.name}/${key}`) ?? new Set()
      this.#annotations.set(`${policy.name}/${key}`, values.add(value.slice(0, MAX_ANNOTATION)))
    }
    for (const message of found.annotationErrors) this.denials.push({ policy: policy.name, binding, message, reason: 'Invalid' })
  }

  #failed({ policy, binding, actions }: Application & { readonly kind: 'apply' }, failure: Failure, request: AdmissionRequest): void {
    const { message, index } = failure
    for (const action of actions) {
      this.#counts?.note({ policy: policy.name, binding, action })
      if (action === 'Deny') this.denials.push({ policy: policy.name, binding, message, reason: failure.reason ?? 'Invalid' })
      else if (action === 'Warn')
        request.warn(`Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding}': ${message}`)
      else if (action === 'Audit')
        // An annotation keeps its first value, so that of all failures only the first is audited.
        request.annotate(
          FAILURES,
          JSON.stringify([{ message, policy: policy.name, binding, expressionIndex: index, validationActions: actions }]),
        )
    }
  }

  publish(request: AdmissionRequest): void {
    for (const [key, values] of this.#annotations) request.annotate(key, [...values].join(', '))
  }
}

function denied({ policy, binding, message, reason }: Denial, request: AdmissionRequest): StatusError {
  const where = binding === undefined ? '' : ` with binding '${binding}'`
  const text = `ValidatingAdmissionPolicy '${policy}'${where} denied request: ${message}`
  const { status } = refusal(request, text)
  return new StatusError({
    code: Object.hasOwn(CODES, reason) ? (CODES[reason] ?? 422) : 422,
    reason: reason as StatusReason,
    message: status.message ?? text,
    details: { ...status.details, causes: [{ message: text }] },
  })
}
