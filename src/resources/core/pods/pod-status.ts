import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  internalFault,
  invalid,
  invalidNamed,
  required,
} from '../../../machinery/field-error.ts'
import { isIpv4, parseIp } from '../../../machinery/ip-address.ts'
import { dns1123Label, dns1123Subdomain } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateLabelName } from '../../../machinery/validation/object-meta.ts'
import { each, validateIp } from '../../checks.ts'
import type { ContainerStatus, Pod } from '../../pod/types.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'

const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized']

/** Validates a change of a pod's status. */
export function validateStatus(pod: Pod, old: Pod): FieldError[] {
  const faults = [...validateConditions(pod.status?.conditions ?? [])]
  const nominated = pod.status?.nominatedNodeName ?? ''
  if (nominated !== '' && nominated !== (old.status?.nominatedNodeName ?? '')) {
    for (const text of dns1123Subdomain(nominated)) faults.push(invalid('status.nominatedNodeName', nominated, text))
    if (old.spec?.nodeName) faults.push(forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node'))
  }
  if ((pod.status?.observedGeneration ?? 0) < 0)
    faults.push(invalid('status.observedGeneration', pod.status?.observedGeneration, 'must be a non-negative integer'))
  if ((pod.status?.qosClass ?? '') !== (old.status?.qosClass ?? ''))
    faults.push(invalidNamed('status.qosClass', pod.status?.qosClass ?? '', 'field is immutable'))
  const restarts = restartsOf(pod)
  faults.push(...validateTransitions(pod.status?.containerStatuses, old.status?.containerStatuses, 'status.containerStatuses', restarts))
  faults.push(
    ...validateTransitions(
      pod.status?.ephemeralContainerStatuses,
      old.status?.ephemeralContainerStatuses,
      'status.ephemeralContainerStatuses',
      () => false,
    ),
  )
  return [
    ...faults,
    ...validateIps(pod.status?.podIPs, old.status?.podIPs, 'status.podIPs'),
    ...validateHostIp(pod.status),
    ...validateIps(pod.status?.hostIPs, old.status?.hostIPs, 'status.hostIPs'),
    ...validateClaims(pod),
    ...validateExtendedClaim(pod),
  ]
}

function validateConditions(conditions: readonly { readonly type?: string; readonly observedGeneration?: number }[]): FieldError[] {
  return faultsOfEach(conditions, ({ type = '', observedGeneration = 0 }, i) => {
    const at = index('status.conditions', i)
    return [
      ...(observedGeneration < 0 ? [invalid(child(at, 'observedGeneration'), observedGeneration, 'must be a non-negative integer')] : []),
      ...(SYSTEM_CONDITIONS.includes(type) ? [] : validateLabelName(type, child(at, 'Type'))),
    ]
  })
}

type RestartRule = Unchecked<core.ContainerRestartRule>

/** True if a container that ended with this code restarts: by its own rules and policy (KEP-5307), else by its pod's. */
type Restarts = (name: string, exitCode: number) => boolean

function restartsOf(pod: Pod): Restarts {
  const containers = pod.spec?.containers ?? []
  const policy = pod.spec?.restartPolicy ?? ''
  // One container's exit may restart all of them (KEP-5532).
  if (containers.some((c) => c.restartPolicyRules?.some((r) => r.action === 'RestartAllContainers'))) return () => true
  const named = new Map(containers.toReversed().map((container) => [container.name, container]))
  return (name, exitCode) => {
    const container = named.get(name)
    if (container?.restartPolicyRules?.some((r) => meets(r, exitCode))) return true
    const own = container?.restartPolicy ?? policy
    return own === 'Always' || own === '' || (own === 'OnFailure' && exitCode !== 0)
  }
}

function meets({ exitCodes }: RestartRule, exitCode: number): boolean {
  const named = exitCodes?.values?.includes(exitCode) ?? false
  return exitCodes !== undefined && named === (exitCodes.operator === 'In')
}

/** A container that ended for good must not run again. */
function validateTransitions(
  now: ContainerStatus[] | undefined,
  before: ContainerStatus[] | undefined,
  path: string,
  restarts: Restarts,
): FieldError[] {
  const places = new Map((now ?? []).map((status, i) => [status.name, i] as const).toReversed())
  return faultsOfEach(before, (old) => {
    const ended = old.state?.terminated
    if (!ended || restarts(old.name ?? '', ended.exitCode ?? 0)) return []
    const i = places.get(old.name)
    return i !== undefined && !now?.[i]?.state?.terminated
      ? [forbidden(child(index(path, i), 'state'), 'may not be transitioned to non-terminated state')]
      : []
  })
}

type Address = Unchecked<core.PodIP>

/** The older field holds the first address. */
function validateHostIp(status: { readonly hostIP?: string; readonly hostIPs?: readonly Address[] } | undefined): FieldError[] {
  const first = status?.hostIPs?.[0]?.ip
  return first === undefined || first === (status?.hostIP ?? '')
    ? []
    : [invalid(child(index('status.hostIPs', 0), 'ip'), first, 'must be equal to `hostIP`')]
}

/** One address, or one of each family. Addresses that the pod had before are accepted. */
function validateIps(ips: readonly Address[] | undefined, old: readonly Address[] | undefined, path: string): FieldError[] {
  const list = (ips ?? []).map(({ ip = '' }) => ip)
  const accepted = new Set((old ?? []).map(({ ip = '' }) => ip))
  const faults = each(list, path, (ip, at) => validateIp(ip, at, accepted))
  if (list.length < 2) return faults
  const parsed = list.map(parseIp)
  const broken = parsed.indexOf(undefined)
  if (broken >= 0) faults.push(internalFault(path, `failed to check for dual stack with error:invalid IP[${broken}]: ${list[broken]}`))
  const families = new Set(parsed.map((ip) => ip !== undefined && isIpv4(ip)))
  if (broken >= 0 || list.length > 2 || families.size < 2) {
    const shown = list.map((ip) => ({ IP: ip }))
    faults.push(invalid(path, shown, 'may specify no more than one IP for each IP family'))
  }
  return faults
}

/** Each claim status must belong to a claim of the pod. */
function validateClaims(pod: Pod): FieldError[] {
  const known = new Set((pod.spec?.resourceClaims ?? []).map((c) => c.name ?? ''))
  const seen = new Set<string>()
  const statuses = pod.status?.resourceClaimStatuses ?? []
  return faultsOfEach(statuses, ({ name = '', resourceClaimName }, i) => {
    const at = index('status.resourceClaimStatuses', i)
    const faults: FieldError[] = []
    if (!known.has(name)) faults.push(invalid(child(at, 'name'), name, 'must match the name of an entry in `spec.resourceClaims`'))
    if (seen.has(name)) faults.push(duplicate(child(at, 'name'), name))
    seen.add(name)
    return [...faults, ...validateClaimName(resourceClaimName, child(at, 'resourceClaimName'))]
  })
}

const validateClaimName = (name: string | undefined, path: string): FieldError[] =>
  name === undefined ? [] : dns1123Subdomain(name).map((text) => invalid(path, name, text))

function validateExtendedClaim({ status, spec }: Pod): readonly FieldError[] {
  const claim = status?.extendedResourceClaimStatus
  if (claim === undefined || claim === null) return []
  const at = 'status.extendedResourceClaimStatus'
  const mappings = claim.requestMappings ?? []
  return [
    ...(mappings.length > 0 ? [] : [required(child(at, 'requestMappings'), 'at least one request mapping is required')]),
    ...validateMappings(mappings, spec, at),
    ...(claim.resourceClaimName
      ? validateClaimName(claim.resourceClaimName, child(at, 'resourceClaimName'))
      : [required(child(at, 'resourceClaimName'))]),
  ]
}

/** Each mapping names a container and one of its extended resources. */
function validateMappings(mappings: readonly Unchecked<core.ContainerExtendedResourceRequest>[], spec: Pod['spec'], path: string) {
  const containers = new Map([...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((c) => [c.name ?? '', c]))
  const seen = new Set<string>()
  return faultsOfEach(mappings, ({ containerName = '', resourceName = '', requestName = '' }, i) => {
    const at = index(child(path, 'requestMappings'), i)
    const container = containers.get(containerName)
    const faults: FieldError[] = []
    if (container === undefined) faults.push(invalid(child(at, 'containerName'), containerName, NO_CONTAINER))
    else if (container.resources?.requests?.[resourceName] === undefined)
      faults.push(invalid(child(at, 'resourceName'), resourceName, NO_REQUEST))
    faults.push(...dns1123Label(requestName).map((text) => invalid(child(path, 'requestName'), requestName, text)))
    const name = JSON.stringify([containerName, resourceName, requestName])
    if (seen.has(name))
      faults.push(
        ...Object.entries({ containerName, resourceName, requestName }).map(([field, value]) => duplicate(child(at, field), value)),
      )
    seen.add(name)
    return faults
  })
}

const NO_CONTAINER = 'must match the name of an entry in spec.initContainers.name or spec.containers.name'
const NO_REQUEST =
  'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests'
