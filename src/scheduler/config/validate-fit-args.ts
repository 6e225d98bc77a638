import { child, type FieldError, forbidden, index, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { qualifiedName } from '../../machinery/names.ts'
import type { Json } from '../../machinery/object.ts'

interface FitArgs {
  readonly ignoredResources?: readonly string[]
  readonly ignoredResourceGroups?: readonly string[]
  readonly scoringStrategy?: {
    readonly type?: string
    readonly resources?: readonly { readonly name: string; readonly weight: number }[]
    readonly requestedToCapacityRatio?: { readonly shape?: readonly { readonly utilization?: number; readonly score?: number }[] }
  }
}

const TYPES = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio']

/** Validates NodeResourcesFitArgs. Paths begin at the arguments, as in upstream, where the plugin itself reports them. */
export function validateFitArgs(json: Json): FieldError[] {
  const args = (json ?? {}) as FitArgs
  return [
    ...(args.ignoredResources ?? []).flatMap((name, i) =>
      qualifiedName(name).map((detail) => invalid(index('ignoredResources', i), name, detail)),
    ),
    ...(args.ignoredResourceGroups ?? []).flatMap((group, i) => {
      const at = index('ignoredResourceGroups', i)
      if (group.includes('/')) return [invalid(at, group, "resource group name can't contain '/'")]
      return qualifiedName(group).map((detail) => invalid(at, group, detail))
    }),
    ...(args.scoringStrategy === undefined ? [] : validateStrategy(args.scoringStrategy, 'scoringStrategy')),
  ]
}

function validateStrategy(strategy: NonNullable<FitArgs['scoringStrategy']>, path: string): FieldError[] {
  const { type = '', resources = [], requestedToCapacityRatio: ratio } = strategy
  const faults: FieldError[] = []
  if (!TYPES.includes(type)) faults.push(notSupported(child(path, 'type'), type, TYPES))
  resources.forEach(({ name, weight }, i) => {
    if (weight <= 0 || weight > 100)
      faults.push(
        invalid(child(index(child(path, 'resources'), i), 'weight'), weight, `resource weight of ${name} not in valid range (0, 100]`),
      )
  })
  const at = child(path, 'requestedToCapacityRatio')
  if (type === 'RequestedToCapacityRatio') {
    if (ratio === undefined) faults.push(required(at, 'must be specified when type is RequestedToCapacityRatio'))
    else faults.push(...validateShape(ratio.shape ?? [], child(at, 'shape')))
  } else if (ratio !== undefined && TYPES.includes(type))
    faults.push(forbidden(at, 'must be nil when type is not RequestedToCapacityRatio'))
  return faults
}

function validateShape(shape: readonly { readonly utilization?: number; readonly score?: number }[], path: string): FieldError[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')]
  const faults: FieldError[] = []
  shape.forEach(({ utilization = 0 }, i) => {
    if (i > 0 && utilization <= (shape[i - 1]?.utilization ?? 0))
      faults.push(invalid(child(index(path, i), 'utilization'), utilization, 'values must be sorted in increasing order'))
  })
  shape.forEach(({ utilization = 0, score = 0 }, i) => {
    if (utilization < 0 || utilization > 100)
      faults.push(invalid(child(index(path, i), 'utilization'), utilization, 'not in valid range [0, 100]'))
    if (score < 0 || score > 10) faults.push(invalid(child(index(path, i), 'score'), score, 'not in valid range [0, 10]'))
  })
  return faults
}
