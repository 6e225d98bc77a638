import { child, duplicateNamed, type FieldError, forbidden, index, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { dns1123Subdomain, pathSegmentName } from '../../machinery/names.ts'
import { goSelector } from '../../machinery/selectors/go-selector.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { invalidEach, repeats } from '../checks.ts'
import { validateEnum } from '../enumerations.ts'
import type * as admissionregistration from '../types/admissionregistration.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { validateMatchResources } from './rules.ts'

type ParamRef = Unchecked<admissionregistration.ParamRef>
/** The binding of a validating policy or, without actions, of a mutating one. */
export type Binding = UncheckedObject<admissionregistration.ValidatingAdmissionPolicyBinding>

/** A binding of a policy to parameters and resources; `validating` bindings also have actions for failures. */
export function validateBinding(object: Binding, validating: boolean): FieldError[] {
  const spec = object.spec ?? {}
  const faults: FieldError[] = []
  const policy = spec.policyName ?? ''
  if (policy === '') faults.push(required(child('spec', 'policyName')))
  else faults.push(...invalidEach(child('spec', 'policyName'), policy, dns1123Subdomain(policy)))
  if (spec.paramRef) faults.push(...validateParamRef(spec.paramRef, child('spec', 'paramRef')))
  if (spec.matchResources) faults.push(...validateMatchResources(spec.matchResources, child('spec', 'matchResources')))
  return validating ? [...faults, ...validateActions(spec.validationActions ?? [])] : faults
}

function validateParamRef(ref: ParamRef, path: string): FieldError[] {
  const faults: FieldError[] = []
  const name = ref.name ?? ''
  if (name !== '') {
    faults.push(...invalidEach(child(path, 'name'), name, pathSegmentName(name)))
    if (ref.selector) faults.push(forbidden(child(path, 'name'), 'name and selector are mutually exclusive'))
  }
  if (ref.selector) {
    faults.push(...validateLabelSelector(ref.selector, child(path, 'selector')))
    if (name !== '') faults.push(forbidden(child(path, 'selector'), 'name and selector are mutually exclusive'))
  }
  if (name === '' && !ref.selector) faults.push(required(path, 'one of name or selector must be specified'))
  const action = ref.parameterNotFoundAction
  const at = child(path, 'parameterNotFoundAction')
  if (!action) faults.push(required(at))
  else if (action !== 'Deny' && action !== 'Allow') faults.push(notSupported(at, action, ['Deny', 'Allow']))
  return faults
}

function validateActions(actions: readonly string[]): FieldError[] {
  const path = child('spec', 'validationActions')
  if (actions.length === 0) return [required(path, 'at least one validation action is required')]

  const isRepeated = repeats()
  const faults = faultsOfEach(actions, (action, i) => {
    const found = [...validateEnum(action, 'admissionregistration_v1.ValidationAction', index(path, i))]
    if (isRepeated(action)) found.push(duplicateNamed(index(path, i), action))
    return found
  })
  if (actions.includes('Deny') && actions.includes('Warn'))
    faults.push(
      invalid(
        path,
        actions,
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    )
  return faults
}

/** `namespace/name` of the parameters, or their selector as Go prints it. */
export function paramRefText(ref: ParamRef | undefined): string {
  if (!ref) return '<unset>'
  return ref.name ? `${ref.namespace || '*'}/${ref.name}` : goSelector(ref.selector)
}
