import type { Family } from '../../base/exposition.ts'
import { CounterMetric } from '../../base/metrics.ts'

/** What followed from a validation of an admission policy that failed. */
export interface PolicyCheck {
  readonly policy: string
  readonly binding: string
  /** `Deny`, `Warn` or `Audit`. */
  readonly action: string
}

/** Counts failed validations of admission policies. */
export class PolicyCounts {
  readonly #checks = new CounterMetric({
    name: 'apiserver_validating_admission_policy_check_total',
    help: 'Validations of admission policies that failed, by what followed.',
    labels: ['enforcement_action', 'error_type', 'policy', 'policy_binding'],
    stability: 'BETA',
  })

  note({ policy, binding, action }: PolicyCheck): void {
    // As kube-apiserver, which has this type for every failed validation.
    this.#checks.add([action.toLowerCase(), 'invalid_error', policy, binding])
  }

  families(): Family[] {
    return [this.#checks.family]
  }
}
