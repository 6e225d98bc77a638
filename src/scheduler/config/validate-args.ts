import { child, duplicate, type FieldError, index, invalid, key, notSupported, required } from '../../machinery/field-error.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { labelValue, qualifiedName } from '../../machinery/names.ts'
import type { NodeAffinity, NodeSelectorTerm, TopologySpreadConstraint } from '../../resources/types/core.ts'

/** What is wrong with a plugin's arguments, defaults filled in. NodeResourcesFit is judged when it is made. */
export function validateArgs(plugin: string, args: unknown, path: string): FieldError[] {
  switch (plugin) {
    case 'DefaultPreemption':
      return preemption(args as Preemption, path)
    case 'DynamicResources':
      return dynamicResources(args as Timeouts, path)
    case 'InterPodAffinity': {
      const { hardPodAffinityWeight: weight } = args as { hardPodAffinityWeight: number }
      return weight < 0 || weight > 100 ? [invalid(child(path, 'hardPodAffinityWeight'), weight, 'not in valid range [0, 100]')] : []
    }
    case 'NodeAffinity':
      return nodeAffinity((args as { addedAffinity?: NodeAffinity }).addedAffinity, child(path, 'addedAffinity'))
    case 'NodeResourcesBalancedAllocation':
      return balanced((args as { resources: ResourceWeights }).resources, child(path, 'resources'))
    case 'PodTopologySpread':
      return spread(args as Spread, path)
    case 'VolumeBinding':
      return volumeBinding(args as VolumeBinding, path)
    default:
      return []
  }
}

interface Preemption {
  readonly minCandidateNodesPercentage: number
  readonly minCandidateNodesAbsolute: number
}

function preemption(
  { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute }: Preemption,
  path: string,
): FieldError[] {
  const [atPercentage, atAbsolute] = [child(path, 'minCandidateNodesPercentage'), child(path, 'minCandidateNodesAbsolute')]
  return [
    ...(percentage < 0 || percentage > 100 ? [invalid(atPercentage, percentage, 'not in valid range [0, 100]')] : []),
    ...(absolute < 0 ? [invalid(atAbsolute, absolute, 'not in valid range [0, inf)')] : []),
    ...(percentage === 0 && absolute === 0
      ? [
          invalid(atPercentage, percentage, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
          invalid(atAbsolute, absolute, 'cannot be zero at the same time as minCandidateNodesPercentage'),
        ]
      : []),
  ]
}

interface Timeouts {
  readonly filterTimeout: string
  readonly bindingTimeout: string
}

function dynamicResources({ filterTimeout, bindingTimeout }: Timeouts, path: string): FieldError[] {
  const ms = (text: string) => parseGoDuration(text) ?? 0
  return [
    ...(ms(filterTimeout) < 0 ? [invalid(child(path, 'filterTimeout'), filterTimeout, 'must be zero or positive')] : []),
    ...(ms(bindingTimeout) < 1000
      ? [invalid(child(path, 'bindingTimeout'), bindingTimeout, 'must be greater than or equal to 1 second')]
      : []),
  ]
}

type ResourceWeights = readonly { readonly name: string; readonly weight: number }[]

function balanced(resources: ResourceWeights, path: string): FieldError[] {
  const seen = new Set<string>()
  return resources.flatMap(({ name, weight }, i) => {
    const faults: FieldError[] = []
    if (seen.has(name)) faults.push(duplicate(child(index(path, i), 'name'), name))
    seen.add(name)
    if (weight !== 1) faults.push(invalid(child(index(path, i), 'weight'), weight, 'must be 1'))
    return faults
  })
}

interface Spread {
  readonly defaultingType: string
  readonly defaultConstraints?: readonly Partial<TopologySpreadConstraint>[]
}

const MODES = ['DoNotSchedule', 'ScheduleAnyway']

function spread({ defaultingType, defaultConstraints = [] }: Spread, path: string): FieldError[] {
  const at = child(path, 'defaultingType')
  const faults: FieldError[] = []
  if (defaultingType !== 'System' && defaultingType !== 'List') faults.push(notSupported(at, defaultingType, ['System', 'List']))
  if (defaultingType === 'System' && defaultConstraints.length > 0)
    return [...faults, invalid(at, defaultingType, 'when .defaultConstraints are not empty')]
  const seen = new Set<string>()
  defaultConstraints.forEach((constraint, i) => {
    const own = index(child(path, 'defaultConstraints'), i)
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', labelSelector } = constraint
    if (maxSkew <= 0) faults.push(invalid(child(own, 'maxSkew'), maxSkew, 'not in valid range (0, inf)'))
    if (topologyKey === '') faults.push(required(child(own, 'topologyKey'), 'can not be empty'))
    else faults.push(...qualifiedName(topologyKey).map((detail) => invalid(child(own, 'topologyKey'), topologyKey, detail)))
    if (whenUnsatisfiable === '') faults.push(required(child(own, 'whenUnsatisfiable'), 'can not be empty'))
    else if (!MODES.includes(whenUnsatisfiable)) faults.push(notSupported(child(own, 'whenUnsatisfiable'), whenUnsatisfiable, MODES))
    if (labelSelector !== undefined) faults.push(forbiddenSelector(child(own, 'labelSelector')))
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`
    if (seen.has(pair)) faults.push(duplicate(own, pair))
    seen.add(pair)
  })
  return faults
}

const forbiddenSelector = (field: string): FieldError => ({
  ...required(field),
  message: 'Forbidden: constraint must not define a selector, as they deduced for each pod',
})

interface WrittenShapePoint {
  readonly utilization?: number
  readonly score?: number
}

interface VolumeBinding {
  readonly bindTimeoutSeconds: number
  readonly shape?: readonly WrittenShapePoint[]
}

function volumeBinding({ bindTimeoutSeconds, shape }: VolumeBinding, path: string): FieldError[] {
  return [
    ...(bindTimeoutSeconds < 0
      ? [invalid(child(path, 'bindTimeoutSeconds'), bindTimeoutSeconds, 'invalid BindTimeoutSeconds, should not be a negative value')]
      : []),
    // The message has the names of the internal type.
    ...(shape === undefined
      ? []
      : [
          invalid(
            child(path, 'shape'),
            shape.map(({ utilization = 0, score = 0 }) => ({ Utilization: utilization, Score: score })),
            'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
          ),
        ]),
  ]
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']

function nodeAffinity(affinity: NodeAffinity | undefined, path: string): FieldError[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: must, preferredDuringSchedulingIgnoredDuringExecution: may } = affinity ?? {}
  const terms = child(path, 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms')
  const preferred = child(path, 'preferredDuringSchedulingIgnoredDuringExecution')
  return [
    ...(must?.nodeSelectorTerms ?? []).flatMap((term, i) => nodeTerm(term, index(terms, i))),
    ...(may ?? []).flatMap(({ preference, weight }, i) => (weight === 0 ? [] : nodeTerm(preference ?? {}, index(preferred, i)))),
  ]
}

function nodeTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, path: string): FieldError[] {
  return [
    ...matchExpressions.flatMap((r, i) => requirement(r, index(child(path, 'matchExpressions'), i))),
    ...matchFields.flatMap((r, i) => fieldRequirement(r, index(child(path, 'matchFields'), i))),
  ]
}

type Requirement = NonNullable<NodeSelectorTerm['matchExpressions']>[number]

function requirement({ key: label = '', operator, values = [] }: Partial<Requirement>, path: string): FieldError[] {
  const at = child(path, 'values')
  if (operator === undefined || !OPERATORS.includes(operator)) return [notSupported(child(path, 'operator'), operator ?? '', OPERATORS)]
  const faults = qualifiedName(label).map((detail) => invalid(child(path, 'key'), label, detail))
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    faults.push(invalid(at, values, "for 'in', 'notin' operators, values set can't be empty"))
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    faults.push(invalid(at, values, 'values set must be empty for exists and does not exist'))
  if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) faults.push(invalid(at, values, "for 'Gt', 'Lt' operators, exactly one value is required"))
    values.forEach((value, i) => {
      if (!/^[+-]?\d+$/.test(value)) faults.push(invalid(index(at, i), value, "for 'Gt', 'Lt' operators, the value must be an integer"))
    })
  }
  values.forEach((value, i) => {
    faults.push(...labelValue(value).map((detail) => invalid(key(index(at, i), label), value, detail)))
  })
  return faults
}

function fieldRequirement({ operator, values = [] }: Partial<Requirement>, path: string): FieldError[] {
  if (operator !== 'In' && operator !== 'NotIn') return [notSupported(child(path, 'operator'), operator ?? '', ['In', 'NotIn'])]
  return values.length === 1 ? [] : [required(child(path, 'values'), 'must have one element')]
}
