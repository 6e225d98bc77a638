import { type FieldError, required } from '../../../machinery/field-error.ts'
import { validateEnum } from '../../enumerations.ts'

/** Validates the image pull policy. */
export function validatePullPolicy(policy: string | undefined, path: string): FieldError[] {
  if (!policy) return [required(path)]
  return validateEnum(policy, 'core_v1.PullPolicy', path)
}
