import { child, type FieldError, index, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateNonNegative } from '../checks.ts'
import { define } from '../define.ts'
import { hpaColumns } from './hpa-columns.ts'
import { convertHpas, internalHpa } from './hpa-conversion.ts'
import type { Hpa, HpaSpec, ScalingRules } from './hpa-types.ts'
import { validateMetrics } from './validate-metrics.ts'
import { validateTargetRef } from './validate-target-ref.ts'

const usualUtilization = 80
const longestWindowSeconds = 3600
const longestPeriodSeconds = 1800
const POLICIES = ['Percent', 'Pods']
const SELECTIONS = ['Disabled', 'Max', 'Min']

export const horizontalPodAutoscalers = define<Hpa>({
  group: 'autoscaling',
  versions: ['v2', 'v1'],
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  singular: 'horizontalpodautoscaler',
  shortNames: ['hpa'],
  categories: ['all'],
  convert: convertHpas,
  internalMetadata: (hpa) => internalHpa(hpa).metadata,
  columns: hpaColumns(internalHpa),
  metadataChecks: 'as-update',
  rules: {
    defaults: defaultHpa,
    prepareForCreate: (draft) => {
      draft.status = { desiredReplicas: 0, currentMetrics: null }
    },
    validateCreate: (o) => validateSpec(o.spec ?? {}, 'spec'),
    validateUpdate: (o) => validateSpec(o.spec ?? {}, 'spec'),
  },
  subresources: { status: { kind: 'status', rules: { validateUpdate: validateStatus } } },
})

function defaultHpa(draft: Hpa): void {
  draft.spec ??= {}
  const spec: HpaSpec = draft.spec
  spec.minReplicas ??= 1
  if ((spec.metrics ?? []).length === 0)
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: usualUtilization } } }]
  if (spec.behavior) {
    spec.behavior.scaleUp = {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: policiesOf(spec.behavior.scaleUp, [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ]),
      ...spec.behavior.scaleUp,
    }
    spec.behavior.scaleDown = {
      selectPolicy: 'Max',
      policies: policiesOf(spec.behavior.scaleDown, [{ type: 'Percent', value: 100, periodSeconds: 15 }]),
      ...spec.behavior.scaleDown,
    }
  }
  draft.status ??= {}
  draft.status.desiredReplicas ??= 0
}

/** An empty list is no default, but a fault. */
const policiesOf = (rules: ScalingRules | undefined, usual: NonNullable<ScalingRules['policies']>) =>
  givenEmpty(rules, 'policies') === undefined ? usual : []

function validateSpec(spec: HpaSpec, path: string): FieldError[] {
  const { minReplicas: min, maxReplicas: max = 0 } = spec
  const faults: FieldError[] = []
  if (min !== undefined && min < 1) faults.push(invalid(child(path, 'minReplicas'), min, 'must be greater than or equal to 1'))
  if (max === 0) faults.push(required(child(path, 'maxReplicas'), 'must be set and greater than 0'))
  else if (max < 1) faults.push(invalid(child(path, 'maxReplicas'), max, 'must be greater than or equal to 1'))
  if (min !== undefined && max < min)
    faults.push(invalid(child(path, 'maxReplicas'), max, 'must be greater than or equal to `minReplicas`'))
  return [
    ...faults,
    ...validateTargetRef(spec.scaleTargetRef ?? {}, child(path, 'scaleTargetRef'), 'grouped'),
    ...validateMetrics(spec.metrics, child(path, 'metrics'), min),
    ...validateScalingRules(spec.behavior?.scaleUp, child(path, 'behavior', 'scaleUp')),
    ...validateScalingRules(spec.behavior?.scaleDown, child(path, 'behavior', 'scaleDown')),
  ]
}

function validateScalingRules(rules: ScalingRules | undefined, path: string): FieldError[] {
  if (!rules) return []
  const faults: FieldError[] = []
  const window = rules.stabilizationWindowSeconds
  const at = child(path, 'stabilizationWindowSeconds')
  if (window !== undefined && window < 0) faults.push(invalid(at, window, 'must be greater than or equal to zero'))
  if (window !== undefined && window > longestWindowSeconds)
    faults.push(invalid(at, window, `must be less than or equal to ${longestWindowSeconds}`))
  if (rules.selectPolicy !== undefined && !SELECTIONS.includes(rules.selectPolicy))
    faults.push(notSupported(child(path, 'selectPolicy'), rules.selectPolicy, SELECTIONS))
  const policies = child(path, 'policies')
  if ((rules.policies ?? []).length === 0) faults.push(required(policies, 'must specify at least one Policy'))
  faults.push(...faultsOfEach(rules.policies, (policy, i) => validatePolicy(policy, index(policies, i))))
  const tolerance = rules.tolerance === undefined ? undefined : tryParseQuantity(rules.tolerance)
  if (tolerance && tolerance.sign() < 0)
    faults.push(invalid(child(path, 'tolerance'), tolerance.toString(), 'must be greater than or equal to 0'))
  return faults
}

function validatePolicy(policy: NonNullable<ScalingRules['policies']>[number], path: string): FieldError[] {
  const faults: FieldError[] = []
  const { type = '', value = 0, periodSeconds: period = 0 } = policy
  if (!POLICIES.includes(type)) faults.push(notSupported(child(path, 'type'), type, POLICIES))
  if (value <= 0) faults.push(invalid(child(path, 'value'), value, 'must be greater than zero'))
  if (period <= 0) faults.push(invalid(child(path, 'periodSeconds'), period, 'must be greater than zero'))
  if (period > longestPeriodSeconds)
    faults.push(invalid(child(path, 'periodSeconds'), period, `must be less than or equal to ${longestPeriodSeconds}`))
  return faults
}

function validateStatus(o: Hpa): FieldError[] {
  return [
    ...validateNonNegative(o.status?.currentReplicas, 'status.currentReplicas'),
    ...validateNonNegative(o.status?.desiredReplicas, 'status.desiredReplicas'),
  ]
}
