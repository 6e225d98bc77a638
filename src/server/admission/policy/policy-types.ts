import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../../resources/types/admissionregistration.ts'

export type AdmissionPolicy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy
export type PolicyBinding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding

/** The fields of the specs of both kinds of policies. All are optional. */
export type PolicySpec = ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec

/** Bindings of mutating policies have no `validationActions`. */
export type BindingSpec = Partial<ValidatingAdmissionPolicyBindingSpec>

/** An error that prevents the application of a policy; its failure policy decides what follows. */
export class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError'
}
