import { child, duplicate, type FieldError, faultText, index, invalid, required } from '../../machinery/field-error.ts'
import { goDecode } from '../../machinery/go/go-decode.ts'
import { goBool, goInt32, goInt64, goString, listOf, struct } from '../../machinery/go/go-type.ts'
import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { decodeYaml, YamlError } from '../../machinery/yaml/yaml.ts'
import { ConfigurationError } from '../config/configuration-error.ts'

/** A scheduler's `Policy` (v1) as it was written, of the right types. */
export interface Policy {
  /** Undefined: the default ones. */
  readonly predicates?: readonly PolicyPredicate[]
  readonly priorities?: readonly PolicyPriority[]
  readonly extenders?: readonly PolicyExtender[]
  readonly hardPodAffinitySymmetricWeight?: number
  readonly alwaysCheckAllPredicates?: boolean
}

export interface PolicyPredicate {
  readonly name: string
  readonly argument?: JsonObject
}

export interface PolicyPriority extends PolicyPredicate {
  readonly weight: number
}

/** As today's extenders, but for the time, which is a number of nanoseconds, and a name. */
export interface PolicyExtender extends JsonObject {
  enableHttps?: boolean
  httpTimeout?: number
}

const RESOURCES = listOf(struct('v1.ResourceSpec', { name: goString, weight: goInt64 }))
const POLICY = struct('v1.Policy', {
  kind: goString,
  apiVersion: goString,
  predicates: listOf(
    struct('v1.PredicatePolicy', {
      name: goString,
      argument: struct('v1.PredicateArgument', {
        serviceAffinity: struct('v1.ServiceAffinity', { labels: listOf(goString) }),
        labelsPresence: struct('v1.LabelsPresence', { labels: listOf(goString), presence: goBool }),
      }),
    }),
  ),
  priorities: listOf(
    struct('v1.PriorityPolicy', {
      name: goString,
      weight: goInt64,
      argument: struct('v1.PriorityArgument', {
        serviceAntiAffinity: struct('v1.ServiceAntiAffinity', { label: goString }),
        labelPreference: struct('v1.LabelPreference', { label: goString, presence: goBool }),
        requestedToCapacityRatioArguments: struct('v1.RequestedToCapacityRatioArguments', {
          shape: listOf(struct('v1.UtilizationShapePoint', { utilization: goInt32, score: goInt32 })),
          resources: RESOURCES,
        }),
      }),
    }),
  ),
  extenders: listOf(
    struct('v1.LegacyExtender', {
      urlPrefix: goString,
      filterVerb: goString,
      preemptVerb: goString,
      prioritizeVerb: goString,
      weight: goInt64,
      bindVerb: goString,
      enableHttps: goBool,
      tlsConfig: struct('v1.ExtenderTLSConfig', {
        insecure: goBool,
        serverName: goString,
        certFile: goString,
        keyFile: goString,
        caFile: goString,
        certData: goString,
        keyData: goString,
        caData: goString,
      }),
      httpTimeout: goInt64,
      nodeCacheCapable: goBool,
      managedResources: listOf(struct('v1.ExtenderManagedResource', { name: goString, ignoredByScheduler: goBool })),
      ignorable: goBool,
    }),
  ),
  hardPodAffinitySymmetricWeight: goInt32,
  alwaysCheckAllPredicates: goBool,
})

/** The largest weight that times a score of 100 is still a number of 32 bits. */
const MAX_WEIGHT = Math.trunc((2 ** 31 - 1) / 100)

/**
 * Parses a policy, JSON or YAML, strictly: names are compared without regard to case, as they once were, and unknown fields are errors.
 * @throws {ConfigurationError} with every error
 */
export function readPolicy(text: string): Policy {
  let value: Json
  const strict: string[] = []
  try {
    const decoded = decodeYaml(text)
    value = decoded.value
    if (decoded.strictError !== '') strict.push(decoded.strictError)
  } catch (error) {
    throw error instanceof YamlError ? new ConfigurationError(`policy: ${error.message}`) : error
  }
  if (!isObject(value)) throw new ConfigurationError('policy: it is not an object')
  const { value: typed, fault, unknown } = goDecode(value, POLICY, { ignoreCase: true })
  if (fault !== undefined) throw new ConfigurationError(`policy: ${fault}`)
  strict.push(...unknown.map((field) => `unknown field "${field}"`))
  if (strict.length > 0) throw new ConfigurationError(`policy: ${strict.join(', ')}`)
  const { kind, apiVersion, ...policy } = (typed ?? {}) as JsonObject & Policy
  const faults = [...typeFaults(kind, apiVersion), ...validate(policy)]
  if (faults.length > 0) throw new ConfigurationError(`policy: ${faults.map(faultText).join(', ')}`)
  return policy
}

const typeFaults = (kind: Json | undefined, apiVersion: Json | undefined): FieldError[] => [
  ...(kind === 'Policy' ? [] : [kind === undefined ? required('kind') : invalid('kind', kind, 'must be "Policy"')]),
  ...(apiVersion === 'v1' ? [] : [apiVersion === undefined ? required('apiVersion') : invalid('apiVersion', apiVersion, 'must be "v1"')]),
]

function validate(policy: Policy): FieldError[] {
  const { predicates = [], priorities = [], hardPodAffinitySymmetricWeight: weight } = policy
  const faults = [...entries('predicates', predicates), ...entries('priorities', priorities)]
  priorities.forEach((priority, i) => {
    const { weight = 0 } = priority
    const at = child(index('priorities', i), 'weight')
    if (weight <= 0) faults.push(invalid(at, weight, 'must be greater than zero'))
    else if (weight > MAX_WEIGHT) faults.push(invalid(at, weight, `must be ${MAX_WEIGHT} or less`))
  })
  if (weight !== undefined && (weight < 0 || weight > 100))
    faults.push(invalid('hardPodAffinitySymmetricWeight', weight, 'not in valid range [0-100]'))
  return faults
}

const NAME = /^[A-Za-z0-9]([-_A-Za-z0-9]*[A-Za-z0-9])?$/

/** Names are unique, and each has at most one argument, which must not be empty. */
function entries(list: string, all: readonly PolicyPredicate[]): FieldError[] {
  const seen = new Set<string>()
  return all.flatMap(({ name = '', argument }, i) => {
    const at = index(list, i)
    const faults: FieldError[] = []
    if (name === '') faults.push(required(child(at, 'name')))
    else if (seen.has(name)) faults.push(duplicate(child(at, 'name'), name))
    if (name !== '' && argument !== undefined && !NAME.test(name))
      faults.push(invalid(child(at, 'name'), name, 'must be letters, digits, and "-" or "_" within'))
    seen.add(name)
    if (argument !== undefined) faults.push(...argumentFaults(child(at, 'argument'), argument))
    return faults
  })
}

function argumentFaults(at: string, argument: JsonObject): FieldError[] {
  const [kind, ...more] = Object.keys(argument)
  if (kind === undefined || more.length > 0) return [invalid(at, argument, 'exactly one argument is needed')]
  const given = (argument[kind] ?? {}) as { labels?: string[]; label?: string; shape?: unknown[] }
  if ((kind === 'serviceAffinity' || kind === 'labelsPresence') && (given.labels ?? []).length === 0)
    return [required(child(at, kind, 'labels'))]
  if ((kind === 'serviceAntiAffinity' || kind === 'labelPreference') && !given.label) return [required(child(at, kind, 'label'))]
  if (kind === 'requestedToCapacityRatioArguments' && (given.shape ?? []).length === 0) return [required(child(at, kind, 'shape'))]
  return []
}
