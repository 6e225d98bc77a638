import { type FieldError, notSupported, required } from '../../../machinery/field-error.ts'

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']

/** When an image is fetched. */
export function validatePullPolicy(policy: string | undefined, path: string): FieldError[] {
  if (!policy) return [required(path)]
  return PULL_POLICIES.includes(policy) ? [] : [notSupported(path, policy, PULL_POLICIES)]
}
