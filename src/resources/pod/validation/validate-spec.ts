import { child, duplicate, type FieldError, forbidden, index, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain, inRange } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateLabelName, validateLabels } from '../../../machinery/validation/object-meta.ts'
import { invalidEach } from '../../checks.ts'
import type { PodRules, PodSpec } from '../types.ts'
import { validateAffinity } from './validate-affinity.ts'
import { type ContainerScope, validateContainers, validateEphemeralContainers, validateInitContainers } from './validate-containers.ts'
import { validateDnsConfig, validateDnsPolicy, validateHostAliases } from './validate-dns.ts'
import { validateFileVolumes } from './validate-environment.ts'
import { validateHostNetwork, validateHostProcess, validateUserNamespace } from './validate-host-access.ts'
import { validateOs } from './validate-os.ts'
import { validateContainerResourceName, validatePodClaims, validatePodLevelResources, validateRequirements } from './validate-resources.ts'
import { validateTolerations, validateTopologySpread } from './validate-scheduling.ts'
import { validatePodSecurityContext } from './validate-security.ts'
import { validateVolumes } from './validate-volumes.ts'

const longestDeadline = 2_147_483_647

interface PodOfSpec {
  readonly name: string
  /** It shows a static pod of a node. */
  readonly isMirror: boolean
}

/** Validates a pod's spec. `pod` is undefined for the spec of a template. */
export function validatePodSpec(spec: PodSpec, path: string, rules: PodRules, pod: PodOfSpec | undefined): FieldError[] {
  const volumes = validateVolumes(spec.volumes, pod?.name, child(path, 'volumes'))
  const scope: ContainerScope = {
    spec,
    rules,
    volumes: volumes.usable,
    claims: new Set((spec.resourceClaims ?? []).map((c) => c.name ?? '').filter((name) => name !== '')),
  }
  return [
    ...volumes.faults,
    ...(pod?.isMirror === true && (spec.resourceClaims ?? []).length > 0
      ? [forbidden('[]', 'static pods do not support resource claims')]
      : validatePodClaims(spec.resourceClaims, child(path, 'resourceClaims'))),
    ...validateContainers(scope, child(path, 'containers')),
    ...validateInitContainers(scope, child(path, 'initContainers')),
    ...validateEphemeralContainers(scope, child(path, 'ephemeralContainers')),
    ...validatePodLevelResources(spec, path),
    ...validateHostNetwork(spec, path),
    ...validateRestartPolicy(spec.restartPolicy, child(path, 'restartPolicy')),
    ...validateDnsPolicy(spec.dnsPolicy, child(path, 'dnsPolicy')),
    ...validateLabels(spec.nodeSelector, child(path, 'nodeSelector')),
    ...validatePodSecurityContext(spec.securityContext, spec, child(path, 'securityContext')),
    ...validateAffinity(spec.affinity, child(path, 'affinity')),
    ...validateDnsConfig(spec.dnsConfig, spec.dnsPolicy, child(path, 'dnsConfig')),
    ...validateGates(spec, path),
    ...validateTopologySpread(spec.topologySpreadConstraints, child(path, 'topologySpreadConstraints')),
    ...validateHostProcess(spec, path, rules),
    ...validateUserNamespace(spec, path),
    ...validateHostnameOverride(spec, child(path, 'hostnameOverride')),
    ...validateSubdomain(spec, 'serviceAccountName', path),
    ...validateSubdomain(spec, 'nodeName', path),
    ...validateDeadline(spec, child(path, 'activeDeadlineSeconds')),
    ...validateLabel(spec, 'hostname', path),
    ...validateLabel(spec, 'subdomain', path),
    ...validateTolerations(spec.tolerations, child(path, 'tolerations')),
    ...validateHostAliases(spec.hostAliases, child(path, 'hostAliases')),
    ...validateSubdomain(spec, 'priorityClassName', path),
    ...validateRuntimeClassName(spec, child(path, 'runtimeClassName')),
    ...validatePreemption(spec.preemptionPolicy, child(path, 'preemptionPolicy')),
    ...validateRequirements({ limits: spec.overhead ?? {} }, validateContainerResourceName, child(path, 'overhead')),
    ...validateOs(spec, path),
    ...validateFileVolumes(spec, path),
  ]
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never']

function validateRestartPolicy(policy: string | undefined, path: string): FieldError[] {
  if (!policy) return [required(path)]
  return RESTART_POLICIES.includes(policy) ? [] : [notSupported(path, policy, RESTART_POLICIES)]
}

/** Validates the preemption policy. */
export function validatePreemption(policy: string | undefined, path: string): FieldError[] {
  if (policy === undefined) return []
  if (policy === '') return [required(path)]
  return policy === 'PreemptLowerPriority' || policy === 'Never' ? [] : [notSupported(path, policy, ['PreemptLowerPriority', 'Never'])]
}

function validateGates(spec: PodSpec, path: string): FieldError[] {
  const faults = faultsOfEach(spec.readinessGates, (gate, i) =>
    validateLabelName(gate.conditionType ?? '', child(index(child(path, 'readinessGates'), i), 'conditionType')),
  )
  const seen = new Set<string>()
  return [
    ...faults,
    ...faultsOfEach(spec.schedulingGates, (gate, i) => {
      const found: FieldError[] = []
      const at = index(child(path, 'schedulingGates'), i)
      found.push(...validateLabelName(gate.name ?? '', at))
      if (seen.has(gate.name ?? '')) found.push(duplicate(at, gate.name ?? ''))
      seen.add(gate.name ?? '')
      return found
    }),
  ]
}

const validateSubdomain = (spec: PodSpec, field: 'serviceAccountName' | 'nodeName' | 'priorityClassName', path: string): FieldError[] =>
  spec[field] ? invalidEach(child(path, field), spec[field], dns1123Subdomain(spec[field])) : []

const validateLabel = (spec: PodSpec, field: 'hostname' | 'subdomain', path: string): FieldError[] =>
  spec[field] ? invalidEach(child(path, field), spec[field], dns1123Label(spec[field])) : []

/** Unlike other names, it may not be empty. */
const validateRuntimeClassName = ({ runtimeClassName: name }: PodSpec, path: string): FieldError[] =>
  name === undefined ? [] : invalidEach(path, name, dns1123Subdomain(name))

const validateDeadline = ({ activeDeadlineSeconds: deadline }: PodSpec, path: string): FieldError[] =>
  deadline !== undefined && (deadline < 1 || deadline > longestDeadline)
    ? invalidEach(path, deadline, inRange(deadline, 1, longestDeadline))
    : []

const longestHostname = 64

function validateHostnameOverride(spec: PodSpec, path: string): FieldError[] {
  const name = spec.hostnameOverride
  if (name === undefined) return []
  const faults: FieldError[] = []
  for (const text of dns1123Subdomain(name)) faults.push(invalid(path, name, text))
  if (name.length > longestHostname)
    faults.push({ type: 'FieldValueTooLong', field: path, message: `Too long: may not be more than ${longestHostname} bytes` })
  if (spec.setHostnameAsFQDN) faults.push(forbidden(path, 'may not be specified when setHostnameAsFQDN is true'))
  if (spec.hostNetwork) faults.push(forbidden(path, 'may not be specified when hostNetwork is true'))
  return faults
}
