import { child, type FieldError, forbidden, index, invalid, invalidNamed, notSupported, required } from '../../machinery/field-error.ts'
import { dns1123Label, pathSegmentName } from '../../machinery/names.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { invalidEach } from '../checks.ts'
import { validateContainerResourceName } from '../pod/validation/validate-resources.ts'
import type { MetricIdentifier, MetricSpec, MetricTarget } from './hpa-types.ts'
import { validateTargetRef } from './validate-target-ref.ts'

const SOURCES: Readonly<Record<string, keyof MetricSpec>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
}
const FIELDS = ['object', 'external', 'pods', 'resource', 'containerResource'] as const

/** Validates the metrics of an autoscaler. Scaling to zero requires a metric that does not come from the pods. */
export function validateMetrics(metrics: readonly MetricSpec[] | undefined, path: string, minReplicas: number | undefined): FieldError[] {
  const all = metrics ?? []
  const faults = faultsOfEach(all, (metric, i) => validateMetric(metric, index(path, i)))
  if (minReplicas === 0 && !all.some((m) => m.type === 'Object' || m.type === 'External'))
    faults.push(forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'))
  return faults
}

function validateMetric(metric: MetricSpec, path: string): FieldError[] {
  const faults: FieldError[] = []
  const type = metric.type ?? ''
  const expected = Object.hasOwn(SOURCES, type) ? SOURCES[type] : undefined
  if (type === '') faults.push(required(child(path, 'type'), 'must specify a metric source type'))
  if (!expected) faults.push(notSupported(child(path, 'type'), type, Object.keys(SOURCES)))
  const present = FIELDS.filter((field) => metric[field] !== undefined)
  const first = present[0]
  if (first) faults.push(...validateSource(metric, first, child(path, first)))
  // Kubernetes reports this twice.
  if (!expected) faults.push(notSupported(child(path, 'type'), type, Object.keys(SOURCES)))
  else if (metric[expected] === undefined)
    faults.push(required(child(path, expected), 'must populate information for the given metric source'))
  if (present.length !== 1)
    for (const field of present)
      if (field !== expected) faults.push(forbidden(child(path, field), 'must populate the given metric source only'))
  return faults
}

function validateSource(metric: MetricSpec, field: (typeof FIELDS)[number], path: string): FieldError[] {
  const at = child(path, 'target')
  const target: MetricTarget = metric[field]?.target ?? {}
  switch (field) {
    case 'object':
      return [
        ...validateTargetRef(metric.object?.describedObject ?? {}, child(path, 'describedObject'), 'any'),
        ...validateIdentifier(metric.object?.metric ?? {}, child(path, 'metric')),
        ...validateTarget(target, at),
        ...need(target, ['value', 'averageValue'], child(at, 'averageValue'), 'must set either a target value or averageValue'),
      ]
    case 'external':
      return [
        ...validateIdentifier(metric.external?.metric ?? {}, child(path, 'metric')),
        ...validateTarget(target, at),
        ...need(
          target,
          ['value', 'averageValue'],
          child(at, 'averageValue'),
          'must set either a target value for metric or a per-pod target',
        ),
        ...notBoth(target, 'value', 'averageValue', child(at, 'value'), 'may not set both a target value for metric and a per-pod target'),
      ]
    case 'pods':
      return [
        ...validateIdentifier(metric.pods?.metric ?? {}, child(path, 'metric')),
        ...validateTarget(target, at),
        ...(target.averageValue !== undefined ? [] : [required(child(at, 'averageValue'), 'must specify a positive target averageValue')]),
      ]
    default:
      return validateResource(metric, field, target, path)
  }
}

function validateResource(metric: MetricSpec, field: 'resource' | 'containerResource', target: MetricTarget, path: string): FieldError[] {
  const name = metric[field]?.name ?? ''
  const at = child(path, 'target')
  const faults: FieldError[] = []
  if (name === '') faults.push(required(child(path, 'name'), 'must specify a resource name'))
  else if (field === 'containerResource') faults.push(...validateContainerResourceName(name, child(path, 'name'), invalid))
  if (field === 'containerResource') faults.push(...validateContainerName(metric.containerResource?.container, child(path, 'container')))
  return [
    ...faults,
    ...validateTarget(target, at),
    ...need(
      target,
      ['averageUtilization', 'averageValue'],
      child(at, 'averageUtilization'),
      'must set either a target raw value or a target utilization',
    ),
    ...notBoth(
      target,
      'averageUtilization',
      'averageValue',
      child(at, 'averageValue'),
      'may not set both a target raw value and a target utilization',
    ),
  ]
}

function validateContainerName(name: string | undefined, path: string): FieldError[] {
  return name ? invalidEach(path, name, dns1123Label(name)) : [required(path, 'must specify a container')]
}

function validateIdentifier(metric: MetricIdentifier, path: string): FieldError[] {
  const at = child(path, 'name')
  const faults: FieldError[] = []
  if (!metric.name) faults.push(required(at, 'must specify a metric name'))
  else faults.push(...invalidEach(at, metric.name, pathSegmentName(metric.name)))
  return faults
}

function validateTarget(target: MetricTarget, path: string): FieldError[] {
  const faults: FieldError[] = []
  const type = target.type ?? ''
  if (type === '') faults.push(required(child(path, 'type'), 'must specify a metric target type'))
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    faults.push(invalidNamed(child(path, 'type'), type, 'must be either Utilization, Value, or AverageValue'))
  for (const field of ['value', 'averageValue'] as const)
    if (target[field] !== undefined && !isPositive(target[field]))
      faults.push(invalid(child(path, field), target[field], 'must be positive'))
  if (target.averageUtilization !== undefined && target.averageUtilization < 1)
    faults.push(invalid(child(path, 'averageUtilization'), target.averageUtilization, 'must be greater than 0'))
  return faults
}

const isPositive = (text: string | undefined): boolean => text !== undefined && (tryParseQuantity(text)?.sign() ?? 0) > 0

const need = (target: MetricTarget, fields: readonly (keyof MetricTarget)[], path: string, text: string): FieldError[] =>
  fields.some((field) => target[field] !== undefined) ? [] : [required(path, text)]

const notBoth = (target: MetricTarget, a: keyof MetricTarget, b: keyof MetricTarget, path: string, text: string): FieldError[] =>
  target[a] !== undefined && target[b] !== undefined ? [forbidden(path, text)] : []
