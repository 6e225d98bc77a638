import {
  child,
  duplicate,
  duplicateNamed,
  type FieldError,
  forbidden,
  index,
  invalid,
  invalidNamed,
  key,
  notSupported,
  required,
} from '../../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../../machinery/names.ts'
import { type Quantity, tryParseQuantity } from '../../../machinery/quantity.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { internalForm } from '../internal-form.ts'
import { sumOfContainers, type Written } from '../pod-requests.ts'
import {
  isExtendedResource,
  isHugePages,
  isIntegerResource,
  isNativeResource,
  isOvercommitAllowed,
  isPodLevel,
  isStandardContainerResource,
  isStandardResource,
} from '../resource-names.ts'
import type { Container, PodResourceClaim, PodSpec, ResourceList, ResourceRequirements } from '../types.ts'

type NameCheck = (name: string, path: string) => FieldError[]

/** A valid resource name: qualified, and a known one if it has no domain. `unqualified` makes the fault of a name that is not. */
export function validateResourceName(name: string, path: string, unqualified = invalidNamed): FieldError[] {
  const faults = qualifiedName(name).map((text) => unqualified(path, name, text))
  if (faults.length > 0) return faults
  return name.includes('/') || isStandardResource(name)
    ? []
    : [invalidNamed(path, name, 'must be a standard resource type or fully qualified')]
}

/** A resource name of a container. */
export function validateContainerResourceName(name: string, path: string, unqualified = invalidNamed): FieldError[] {
  const faults = validateResourceName(name, path, unqualified)
  if (!name.includes('/')) {
    if (!isStandardContainerResource(name)) faults.push(invalidNamed(path, name, 'must be a standard resource for containers'))
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    faults.push(invalidNamed(path, name, "doesn't follow extended resource name standard"))
  return faults
}

/** Non-negative; an integer for countable resources. */
export function validateResourceQuantity(name: string, quantity: Quantity, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (quantity.sign() < 0) faults.push(invalid(path, quantity.toString(), 'must be greater than or equal to 0'))
  if (isIntegerResource(name) && !isWhole(quantity)) faults.push(invalid(path, quantity.toString(), 'must be an integer'))
  return faults
}

/** True for integers as Go computes them: binary units in thousandths overflow 64 bits, so that `1Ei` is rejected. */
export const isWhole = (quantity: Quantity): boolean =>
  quantity.isWhole() && (quantity.format !== 'BinarySI' || BigInt.asIntN(64, quantity.scaledValue(0) * 1000n) % 1000n === 0n)

/** Validates a container's requests and limits, each and against each other. */
export function validateContainerResources(
  requirements: ResourceRequirements | undefined,
  claims: ReadonlySet<string>,
  path: string,
): FieldError[] {
  if (!requirements) return []
  return [
    ...validateRequirements(requirements, validateContainerResourceName, path),
    ...validateClaimNames(requirements, claims, child(path, 'claims')),
  ]
}

/** Validates requests and limits; `names` is the rule for resource names. */
export function validateRequirements(requirements: ResourceRequirements, names: NameCheck, path: string): FieldError[] {
  const { limits, requests } = requirements
  const limitPath = child(path, 'limits')
  const requestPath = child(path, 'requests')
  const faults = [...validateList(limits, names, limitPath)]
  faults.push(
    ...eachQuantity(requests, (name, quantity) => {
      const found: FieldError[] = []
      const at = key(requestPath, name)
      found.push(...names(name, at), ...validateResourceQuantity(name, quantity, at))
      const limit = quantityIn(limits, name)
      if (limit && quantity.compare(limit) !== 0 && !isOvercommitAllowed(name))
        found.push(invalid(requestPath, quantity.toString(), `must be equal to ${name} limit of ${limit}`))
      else if (limit && quantity.compare(limit) > 0)
        found.push(invalid(requestPath, quantity.toString(), `must be less than or equal to ${name} limit of ${limit}`))
      else if (!limit && !isOvercommitAllowed(name)) found.push(required(limitPath, 'Limit must be set for non overcommitable resources'))
      found.push(...validateWholePages(name, quantity, at))
      return found
    }),
  )
  const has = (name: string) => quantityIn(limits, name) !== undefined || quantityIn(requests, name) !== undefined
  const namesHugePages = (list: Written | undefined) => Object.keys(list ?? {}).some(isHugePages)
  if ((namesHugePages(limits) || namesHugePages(requests)) && !has('cpu') && !has('memory'))
    faults.push(forbidden(path, 'HugePages require cpu or memory'))
  return faults
}

/** Validates names and quantities of one list. */
function validateList(list: Written | undefined, names: NameCheck, path: string): FieldError[] {
  return eachQuantity(list, (name, quantity) => {
    const at = key(path, name)
    return [...names(name, at), ...validateResourceQuantity(name, quantity, at), ...validateWholePages(name, quantity, at)]
  })
}

/** The quantity of that name; undefined for an absent or invalid one. */
function quantityIn(list: Written | undefined, name: string): Quantity | undefined {
  return list !== undefined && Object.hasOwn(list, name) ? tryParseQuantity(list[name] ?? '') : undefined
}

/** The faults of a list's quantities. Each is parsed when it is checked: parsing a hundred thousand takes a long turn. */
export const eachQuantity = (list: Written | undefined, check: (name: string, quantity: Quantity) => readonly FieldError[]): FieldError[] =>
  faultsOfEach(Object.keys(list ?? {}), (name) => {
    const quantity = quantityIn(list, name)
    return quantity === undefined ? [] : check(name, quantity)
  })

function validateWholePages(name: string, quantity: Quantity, path: string): FieldError[] {
  if (!isHugePages(name)) return []
  const page = tryParseQuantity(name.slice('hugepages-'.length))
  const divides = page !== undefined && page.sign() > 0 && page.isWhole() && quantity.scaledValue(0) % page.scaledValue(0) === 0n
  return divides ? [] : [invalid(path, quantity.toString(), `${quantity} is not positive integer multiple of ${name}`)]
}

function validateClaimNames(requirements: ResourceRequirements, known: ReadonlySet<string>, path: string): FieldError[] {
  const seen = new Map<string, Set<string>>()
  return faultsOfEach(requirements.claims, ({ name = '', request = '' }, i) => {
    const at = index(path, i)
    if (name === '') return [required(at)]
    const earlier = seen.get(name) ?? new Set()
    seen.set(name, earlier)
    const faults = request === '' ? [...earlier].map(() => duplicate(at, name)) : requestFaults({ name, request }, earlier, at)
    earlier.add(request)
    if (!known.has(name)) faults.push(unknownClaim(at, name, known))
    return faults
  })
}

/** `earlier`: the requests of the same claim that came before; the whole claim is the empty one. */
function requestFaults({ name, request }: { name: string; request: string }, earlier: ReadonlySet<string>, at: string): FieldError[] {
  if (earlier.has('')) return [duplicate(at, name)]
  const faults = dns1123Label(request).map((text) => invalid(child(at, 'request'), request, text))
  if (earlier.has(request)) faults.push(duplicate(at, `${name}/${request}`))
  return faults
}

function unknownClaim(path: string, name: string, known: ReadonlySet<string>): FieldError {
  const list = known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`
  const why = `Not found: ${JSON.stringify(name)}: must be one of the names in pod.spec.resourceClaims${list}`
  return { type: 'FieldValueNotFound', field: path, message: why }
}

/** Validates the policy for in-place changes of a container's resources. */
export function validateResizePolicy(policies: Container['resizePolicy'], restartPolicy: string, path: string): FieldError[] {
  const seen = new Set<string>()
  return faultsOfEach(policies, (policy, i) => {
    const found: FieldError[] = []
    const resource = policy.resourceName ?? ''
    const restart = policy.restartPolicy ?? ''
    if (seen.has(resource)) found.push(duplicateNamed(index(path, i), resource))
    seen.add(resource)
    if (resource === '') found.push(required(path))
    else if (resource !== 'cpu' && resource !== 'memory') found.push(notSupported(path, resource, ['cpu', 'memory']))
    if (restart === '') found.push(required(path))
    else if (restart !== 'NotRequired' && restart !== 'RestartContainer')
      found.push(notSupported(path, restart, ['NotRequired', 'RestartContainer']))
    if (restart !== 'NotRequired' && restartPolicy === 'Never')
      found.push(invalidNamed(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
    return found
  })
}

/** Validates the resource claims of a pod. */
export function validatePodClaims(claims: readonly PodResourceClaim[] | undefined, path: string): FieldError[] {
  const seen = new Set<string>()
  return faultsOfEach(claims, (claim, i) => {
    const at = index(path, i)
    const faults: FieldError[] = []
    const name = claim.name ?? ''
    if (name === '') faults.push(required(child(at, 'name')))
    else if (seen.has(name)) faults.push(duplicate(child(at, 'name'), name))
    else {
      for (const text of dns1123Label(name)) faults.push(invalid(child(at, 'name'), name, text))
      seen.add(name)
    }
    const internal = internalForm(claim, 'resourceClaims')
    if (claim.resourceClaimName !== undefined && claim.resourceClaimTemplateName !== undefined)
      faults.push(invalid(at, internal, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'))
    if (claim.resourceClaimName === undefined && claim.resourceClaimTemplateName === undefined)
      faults.push(invalid(at, internal, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'))
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const value = claim[field]
      if (value !== undefined) for (const text of dns1123Subdomain(value)) faults.push(invalid(child(at, field), value, text))
    }
    return faults
  })
}

const POD_LEVEL = ['cpu', 'hugepages-', 'memory']

/** Validates pod-level requests and limits, also against those of its containers. */
export function validatePodLevelResources(spec: PodSpec, path: string): FieldError[] {
  const resources = spec.resources
  if (!resources) return []
  if (spec.os?.name === 'windows') return [forbidden(child(path, 'resources'), 'may not be set for a windows pod')]
  const at = child(path, 'resources')
  const faults: FieldError[] = []
  if ((resources.claims ?? []).length > 0) faults.push(forbidden(child(at, 'claims'), 'claims may not be set for Resources at pod-level'))
  faults.push(...validateRequirements(resources, validatePodResourceName, at))
  faults.push(...validateClaimNames(resources, new Set((spec.resourceClaims ?? []).map(({ name }) => name ?? '')), child(at, 'claims')))
  faults.push(
    ...validateSum(resources.requests, { spec, of: 'requests', path: child(at, 'requests') }),
    // Other limits of containers may be larger together: not all of them use theirs at once.
    ...validateSum(resources.limits, { spec, of: 'limits', path: child(at, 'limits') }, isHugePages),
  )
  return [...faults, ...validateWithinPod(spec.containers, resources.limits, child(at, 'containers'))]
}

interface SumRule {
  /** Whose amounts are added. */
  readonly spec: PodSpec
  readonly of: 'requests' | 'limits'
  readonly path: string
}

/** The amounts of the containers may not be larger than what the pod says for all of them. */
function validateSum(whole: ResourceList | undefined, { spec, of, path }: SumRule, counts = (_name: string) => true): FieldError[] {
  const sum = sumOfContainers(spec, of, (name) => counts(name) && whole?.[name] !== undefined)
  return [...sum].flatMap(([name, amount]) => {
    const most = quantityIn(whole, name)
    if (!most || amount.compare(most) <= 0) return []
    return [invalid(key(path, name), most.toString(), `must be greater than or equal to aggregate container ${of} of ${amount}`)]
  })
}

function validateWithinPod(containers: readonly Container[] | undefined, podLimits: ResourceList | undefined, path: string): FieldError[] {
  return faultsOfEach(containers, (container, i) =>
    eachQuantity(container.resources?.limits, (name, limit) => {
      const most = isPodLevel(name) ? quantityIn(podLimits, name) : undefined
      if (!most || limit.compare(most) <= 0) return []
      return [invalid(child(key(index(path, i), name), 'limits'), limit.toString(), `must be less than or equal to pod limits of ${most}`)]
    }),
  )
}

function validatePodResourceName(name: string, path: string): FieldError[] {
  const faults = validateResourceName(name, path)
  if (faults.length > 0) return faults
  return isPodLevel(name) ? [] : [notSupported(path, name, POD_LEVEL)]
}
