import { byKey } from '../../base/by-text.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { faultsThen } from '../../machinery/validation/faults-of-each.ts'
import { type LabelSelector, type LabelSelectorRequirement, validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import type { PodRules, PodTemplateSpec } from './types.ts'
import { validatePodTemplate } from './validation/validate-template.ts'

const MISMATCH = '`selector` does not match template `labels`'

/** True if a selector is empty, and so would select everything. */
export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0

/** A selector as Go prints it in messages: with sorted keys. */
export function shownSelector(selector: LabelSelector | undefined): object | null {
  if (!selector) return null
  const { matchLabels, matchExpressions } = selector
  const labels = Object.entries(matchLabels ?? {}).sort(byKey)
  return {
    ...(labels.length > 0 && { matchLabels: Object.fromEntries(labels) }),
    ...((matchExpressions ?? []).length > 0 && { matchExpressions: (matchExpressions ?? []).map(shownRequirement) }),
  }
}

const shownRequirement = ({ key, operator, values }: LabelSelectorRequirement) => ({
  key: key ?? '',
  operator: operator ?? '',
  ...(values && values.length > 0 && { values }),
})

/** A selector is immutable. */
export const validateSelectorKept = (now: LabelSelector | undefined, before: LabelSelector | undefined, path: string): FieldError[] =>
  semanticEqual(now ?? null, before ?? null) ? [] : [invalid(path, shownSelector(now), 'field is immutable')]

/** Faults that can be found only if the selector itself has none. */
export const ofSoundSelector = (selector: LabelSelector | undefined, validate: () => readonly FieldError[]): FieldError[] =>
  faultsThen(validateLabelSelector(selector, ''), (faults) => (faults.length > 0 ? [] : validate()))

const inOrder = (labels: object | undefined): object | null => (labels ? Object.fromEntries(Object.entries(labels).sort(byKey)) : null)

/** The selector must match the labels of the template. */
export function validateTemplateMatches(template: PodTemplateSpec, selector: LabelSelector | undefined, path: string): FieldError[] {
  const labels = template.metadata?.labels ?? {}
  const matches = selector !== undefined && compileLabelSelector(selector).matches(labels)
  return matches
    ? []
    : [invalid(child(path, 'metadata', 'labels'), inOrder(template.metadata?.labels ?? givenEmpty(template.metadata, 'labels')), MISMATCH)]
}

/** The template of a controller whose pods run forever. */
export function validateLastingTemplate(
  template: PodTemplateSpec,
  path: string,
  how: { readonly kind: string; readonly rules: PodRules },
): FieldError[] {
  const faults = validatePodTemplate(template, path, how.rules)
  const policy = template.spec?.restartPolicy ?? ''
  if (policy !== 'Always') faults.push(notSupported(child(path, 'spec', 'restartPolicy'), policy, ['Always']))
  if (template.spec?.activeDeadlineSeconds !== undefined)
    faults.push(forbidden(child(path, 'spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${how.kind} is not Supported`))
  return faults
}

/** A required, non-empty selector. `kind` is Kubernetes' word for the controller. */
export function validateNeededSelector(selector: LabelSelector | undefined, kind: string, path: string): FieldError[] {
  if (!selector) return [required(path)]
  const faults = validateLabelSelector(selector, path)
  if (isEmptySelector(selector)) faults.push(invalid(path, shownSelector(selector), `empty selector is invalid for ${kind}`))
  return faults
}
