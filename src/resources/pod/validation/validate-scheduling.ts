import { child, duplicate, type FieldError, index, invalid, invalidNamed, notSupported, required } from '../../../machinery/field-error.ts'
import { labelValue } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../../machinery/validation/label-selector.ts'
import { validateLabelName } from '../../../machinery/validation/object-meta.ts'
import { enumOf, validateEnum } from '../../enumerations.ts'
import type { Toleration, TopologySpreadConstraint } from '../types.ts'
import { validateLabelKeys, validateMergedKeys } from './validate-affinity.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Validates a taint's effect. */
export function validateTaintEffect(effect: string, path: string): FieldError[] {
  if (effect === '') return [required(path)]
  return EFFECTS.includes(effect) ? [] : [notSupported(path, effect, EFFECTS)]
}

/** Validates tolerations. */
export function validateTolerations(tolerations: readonly Toleration[] | undefined, path: string): FieldError[] {
  return faultsOfEach(tolerations, (toleration, i) => {
    const at = index(path, i)
    const faults: FieldError[] = []
    const operator = toleration.operator ?? ''
    const effect = toleration.effect ?? ''
    if (toleration.key) faults.push(...validateLabelName(toleration.key, child(at, 'key')))
    else if (operator !== 'Exists')
      faults.push(
        invalidNamed(
          child(at, 'operator'),
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      )
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute')
      faults.push(invalidNamed(child(at, 'effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    faults.push(...validateTolerationOperator(toleration, child(at, 'operator')))
    return effect === '' ? faults : [...faults, ...validateTaintEffect(effect, child(at, 'effect'))]
  })
}

function validateTolerationOperator(toleration: Toleration, path: string): FieldError[] {
  const value = toleration.value ?? ''
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal': {
      const texts = labelValue(value)
      return texts.length > 0 ? [invalid(path, value, texts.join(';'))] : []
    }
    case 'Exists':
      return value === '' ? [] : [invalid(path, value, "value must be empty when `operator` is 'Exists'")]
    // They belong to a feature that is off.
    case 'Lt':
    case 'Gt':
      return [notSupported(path, toleration.operator, ['Equal', 'Exists', 'Lt', 'Gt'])]
    default:
      return [notSupported(path, toleration.operator, ['Equal', 'Exists'])]
  }
}

/** Validates topology spread constraints. */
export function validateTopologySpread(constraints: readonly TopologySpreadConstraint[] | undefined, path: string): FieldError[] {
  const all = constraints ?? []
  const pair = (c: TopologySpreadConstraint) => JSON.stringify([c.topologyKey, c.whenUnsatisfiable])
  const last = new Map(all.map((c, i) => [pair(c), i]))
  return faultsOfEach(all, (constraint, i) => {
    const at = index(path, i)
    const faults: FieldError[] = []
    const action = constraint.whenUnsatisfiable ?? ''
    if ((constraint.maxSkew ?? 0) <= 0) faults.push(invalid(child(at, 'maxSkew'), constraint.maxSkew ?? 0, 'must be greater than zero'))
    if (!constraint.topologyKey) faults.push(required(child(at, 'topologyKey'), 'can not be empty'))
    faults.push(...validateEnum(action, 'core_v1.UnsatisfiableConstraintAction', child(at, 'whenUnsatisfiable')))
    if (last.get(pair(constraint)) !== i)
      faults.push(duplicate(child(at, '{topologyKey, whenUnsatisfiable}'), `{${constraint.topologyKey ?? ''}, ${action}}`))
    faults.push(...validateMinDomains(constraint, child(at, 'minDomains')))
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[field]
      if (policy !== undefined && policy !== 'Honor' && policy !== 'Ignore')
        faults.push(notSupported(child(at, field), policy, enumOf('core_v1.NodeInclusionPolicy')))
    }
    faults.push(...validateLabelKeys(constraint.matchLabelKeys, constraint.labelSelector, child(at, 'matchLabelKeys')))
    faults.push(...validateMergedKeys(constraint, at))
    return [...faults, ...validateLabelSelector(constraint.labelSelector, child(at, 'labelSelector'))]
  })
}

function validateMinDomains(constraint: TopologySpreadConstraint, path: string): FieldError[] {
  const min = constraint.minDomains
  if (min === undefined) return []
  const faults: FieldError[] = []
  if (min <= 0) faults.push(invalid(path, min, 'must be greater than zero'))
  if (constraint.whenUnsatisfiable !== 'DoNotSchedule')
    faults.push(invalid(path, min, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${constraint.whenUnsatisfiable ?? ''}`))
  return faults
}
