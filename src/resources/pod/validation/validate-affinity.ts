import { child, type FieldError, forbidden, index, invalid, required } from '../../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import {
  type LabelSelector,
  unknownOperator,
  validateLabelSelector,
  validateLabelValues,
  validateSetOperator,
} from '../../../machinery/validation/label-selector.ts'
import { validateLabelName } from '../../../machinery/validation/object-meta.ts'
import type { Affinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinity, PodAffinityTerm } from '../types.ts'

const WEIGHT = 'must be in the range 1-100'

/** Validates node affinity and pod affinity. */
export function validateAffinity(affinity: Affinity | undefined, path: string): FieldError[] {
  if (!affinity) return []
  const node = affinity.nodeAffinity
  const at = child(path, 'nodeAffinity')
  const faults: FieldError[] = []
  if (node?.requiredDuringSchedulingIgnoredDuringExecution)
    faults.push(
      ...validateNodeSelector(
        node.requiredDuringSchedulingIgnoredDuringExecution,
        child(at, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ),
    )
  faults.push(
    ...faultsOfEach(node?.preferredDuringSchedulingIgnoredDuringExecution, (term, i) => {
      const found: FieldError[] = []
      const here = index(child(at, 'preferredDuringSchedulingIgnoredDuringExecution'), i)
      found.push(...validateWeight(term.weight, child(here, 'weight')))
      found.push(...validateNodeSelectorTerm(term.preference ?? {}, child(here, 'preference')))
      return found
    }),
  )
  return [
    ...faults,
    ...validatePodAffinity(affinity.podAffinity, child(path, 'podAffinity')),
    ...validatePodAffinity(affinity.podAntiAffinity, child(path, 'podAntiAffinity')),
  ]
}

const validateWeight = (weight: number | undefined, path: string): FieldError[] =>
  weight === undefined || weight <= 0 || weight > 100 ? [invalid(path, weight ?? 0, WEIGHT)] : []

/** Validates a node selector: at least one term. */
export function validateNodeSelector(selector: NodeSelector, path: string): FieldError[] {
  const at = child(path, 'nodeSelectorTerms')
  const terms = selector.nodeSelectorTerms ?? []
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')]
  return faultsOfEach(terms, (term, i) => validateNodeSelectorTerm(term, index(at, i)))
}

function validateNodeSelectorTerm(term: NodeSelectorTerm, path: string): FieldError[] {
  return [
    ...faultsOfEach(term.matchExpressions, (r, i) => validateNodeRequirement(r, index(child(path, 'matchExpressions'), i))),
    ...faultsOfEach(term.matchFields, (r, i) => validateNodeFieldRequirement(r, index(child(path, 'matchFields'), i))),
  ]
}

function validateNodeRequirement(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const operator = requirement.operator ?? ''
  const values = requirement.values ?? []
  const fits = operator === 'Gt' || operator === 'Lt' ? validateComparison(values, path) : validateSetOperator(operator, values, path)
  return [
    ...(fits ?? [unknownOperator(operator, path)]),
    ...validateLabelName(requirement.key ?? '', child(path, 'key')),
    ...validateLabelValues(values, child(path, 'values')),
  ]
}

const validateComparison = (values: readonly string[], path: string): FieldError[] =>
  values.length === 1 ? [] : [required(child(path, 'values'), "must be specified single value when `operator` is 'Lt' or 'Gt'")]

function validateNodeFieldRequirement(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const faults: FieldError[] = []
  const values = requirement.values ?? []
  if (requirement.operator !== 'In' && requirement.operator !== 'NotIn') faults.push(unknownOperator(requirement.operator ?? '', path))
  else if (values.length !== 1)
    faults.push(required(child(path, 'values'), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
  if (requirement.key !== 'metadata.name') faults.push(invalid(child(path, 'key'), requirement.key ?? '', 'not a valid field selector key'))
  else
    faults.push(
      ...faultsOfEach(values, (value, i) => dns1123Subdomain(value).map((text) => invalid(index(child(path, 'values'), i), value, text))),
    )
  return faults
}

function validatePodAffinity(affinity: PodAffinity | undefined, path: string): FieldError[] {
  if (!affinity) return []
  const hard = child(path, 'requiredDuringSchedulingIgnoredDuringExecution')
  const soft = child(path, 'preferredDuringSchedulingIgnoredDuringExecution')
  return [
    ...faultsOfEach(affinity.requiredDuringSchedulingIgnoredDuringExecution, (term, i) => validatePodAffinityTerm(term, index(hard, i))),
    ...faultsOfEach(affinity.preferredDuringSchedulingIgnoredDuringExecution, (term, i) => [
      ...validateWeight(term.weight, child(index(soft, i), 'weight')),
      ...validatePodAffinityTerm(term.podAffinityTerm ?? {}, child(index(soft, i), 'podAffinityTerm')),
    ]),
  ]
}

function validatePodAffinityTerm(term: PodAffinityTerm, path: string): FieldError[] {
  const faults = [
    ...validateLabelSelector(term.labelSelector, child(path, 'labelSelector')),
    ...validateLabelSelector(term.namespaceSelector, child(path, 'namespaceSelector')),
  ]
  faults.push(...faultsOfEach(term.namespaces, (name) => dns1123Label(name).map((text) => invalid(child(path, 'namespace'), name, text))))
  faults.push(...validateLabelKeys(term.matchLabelKeys, term.labelSelector, child(path, 'matchLabelKeys')))
  faults.push(...validateLabelKeys(term.mismatchLabelKeys, term.labelSelector, child(path, 'mismatchLabelKeys')))
  const mismatched = new Set(term.matchLabelKeys === undefined ? [] : term.mismatchLabelKeys)
  faults.push(
    ...faultsOfEach(term.matchLabelKeys, (key, i) =>
      mismatched.has(key)
        ? [invalid(index(child(path, 'matchLabelKeys'), i), key, 'exists in both matchLabelKeys and mismatchLabelKeys')]
        : [],
    ),
  )
  faults.push(...validateMergedKeys(term, path))
  if (!term.topologyKey) faults.push(required(child(path, 'topologyKey'), 'can not be empty'))
  return [...faults, ...validateLabelName(term.topologyKey ?? '', child(path, 'topologyKey'))]
}

interface NarrowedSelector {
  readonly matchLabelKeys?: readonly string[]
  readonly labelSelector?: LabelSelector
}

/** A key of `matchLabelKeys`, which a new pod's selector contains by now, may not be in the selector a second time. */
export function validateMergedKeys({ matchLabelKeys = [], labelSelector }: NarrowedSelector, path: string): FieldError[] {
  if (matchLabelKeys.length === 0) return []
  const places = new Map(matchLabelKeys.map((key, i) => [key, i]))
  const used = new Set(Object.keys(labelSelector?.matchLabels ?? {}))
  return faultsOfEach(labelSelector?.matchExpressions, ({ key = '' }) => {
    const place = used.has(key) ? places.get(key) : undefined
    used.add(key)
    return place === undefined ? [] : [invalid(index(path, place), key, 'exists in both matchLabelKeys and labelSelector')]
  })
}

/** Keys of the pod's own labels that narrow a selector, which is then required. */
export function validateLabelKeys(keys: readonly string[] | undefined, selector: LabelSelector | undefined, path: string): FieldError[] {
  if (!keys || keys.length === 0) return []
  if (!selector) return [forbidden(path, 'must not be specified when labelSelector is not set')]
  return faultsOfEach(keys, (key, i) => validateLabelName(key, index(path, i)))
}
