import { child, duplicate, type FieldError, forbidden, index, internalFault, invalid, required } from '../../../machinery/field-error.ts'
import { isIpv4, parseIp } from '../../../machinery/ip-address.ts'
import { dns1123Subdomain } from '../../../machinery/names.ts'
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
  if (nominated !== '' && nominated !== (old.status?.nominatedNodeName ?? ''))
    for (const text of dns1123Subdomain(nominated)) faults.push(invalid('status.nominatedNodeName', nominated, text))
  if ((pod.status?.observedGeneration ?? 0) < 0)
    faults.push(invalid('status.observedGeneration', pod.status?.observedGeneration, 'must be a non-negative integer'))
  if ((pod.status?.qosClass ?? '') !== (old.status?.qosClass ?? ''))
    faults.push(invalid('status.qosClass', pod.status?.qosClass ?? '', 'field is immutable'))
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
    ...validateExtendedClaim(pod.status?.extendedResourceClaimStatus),
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

function validateExtendedClaim(
  status: { readonly resourceClaimName?: string; readonly requestMappings?: readonly unknown[] | null } | undefined,
): FieldError[] {
  if (status === undefined || status === null) return []
  const at = 'status.extendedResourceClaimStatus'
  const mapped = (status.requestMappings ?? []).length > 0
  return [
    ...(mapped ? [] : [required(child(at, 'requestMappings'), 'at least one request mapping is required')]),
    ...validateClaimName(status.resourceClaimName ?? '', child(at, 'resourceClaimName')),
  ]
}
