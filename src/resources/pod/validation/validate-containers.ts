import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  invalidNamed,
  notFoundValue,
  notSupported,
  required,
  tooMany,
} from '../../../machinery/field-error.ts'
import { dns1123Label } from '../../../machinery/names.ts'
import { givenEmpty, hasGivenEmpty } from '../../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateEnum } from '../../enumerations.ts'
import type { Container, EphemeralContainer, PodRules, PodSpec, Volume } from '../types.ts'
import { validateEnv, validateEnvFrom } from './validate-environment.ts'
import { validateDevices, validateMounts } from './validate-mounts.ts'
import { validateHostPortConflicts, validatePorts } from './validate-ports.ts'
import { validateProbesAndHooks } from './validate-probes.ts'
import { validatePullPolicy } from './validate-pull-policy.ts'
import { validateContainerResources, validateResizePolicy } from './validate-resources.ts'
import { validateSecurityContext } from './validate-security.ts'

/** The context in which containers are validated. */
export interface ContainerScope {
  readonly spec: PodSpec
  readonly volumes: ReadonlyMap<string, Volume>
  readonly claims: ReadonlySet<string>
  readonly rules: PodRules
}

const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always'

/** Validates the app containers: at least one. */
export function validateContainers(scope: ContainerScope, path: string): FieldError[] {
  const containers = scope.spec.containers ?? []
  if (containers.length === 0) return [required(path)]
  const names = new Set<string>()
  const faults = faultsOfEach(containers, (container, i) => {
    const at = index(path, i)
    const own = validateContainer(container, scope, at)
    if (names.has(container.name ?? '')) own.push(duplicate(child(at, 'name'), container.name ?? ''))
    names.add(container.name ?? '')
    own.push(...validateProbesAndHooks(container, scope.spec.terminationGracePeriodSeconds, at))
    return [...own, ...validateRestart(container, at)]
  })
  return [...faults, ...validateHostPortConflicts(containers, path)]
}

/** Validates init containers; those with restart policy Always are sidecars and may have probes. */
export function validateInitContainers(scope: ContainerScope, path: string): FieldError[] {
  const names = new Set((scope.spec.containers ?? []).map((c) => c.name ?? ''))
  return faultsOfEach(scope.spec.initContainers, (container, i) => {
    const at = index(path, i)
    const faults = validateContainer(container, scope, at)
    faults.push(...validateInitRestart(container, at))
    if (names.has(container.name ?? '')) faults.push(duplicate(child(at, 'name'), container.name ?? ''))
    else if (container.name) names.add(container.name)
    faults.push(...validateHostPortConflicts([container], path))
    if (container.restartPolicy === 'Always')
      return [...faults, ...validateProbesAndHooks(container, scope.spec.terminationGracePeriodSeconds, at)]
    for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
      if (container[field] !== undefined) faults.push(forbidden(child(at, field), ONLY_SIDECARS))
    return [...faults, ...validateNoRestart(container.resizePolicy, child(at, 'resizePolicy'))]
  })
}

/** An init container that ends is not restarted for a resize. */
const validateNoRestart = (policies: Container['resizePolicy'], path: string): readonly FieldError[] =>
  faultsOfEach(policies, ({ restartPolicy }, i) =>
    restartPolicy === 'RestartContainer' ? [invalidNamed(child(index(path, i), 'restartPolicy'), restartPolicy, NO_RESTART)] : [],
  )

const NO_RESTART = "must not be set to 'RestartContainer' for non-sidecar initContainers"

const NOT_FOR_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const
const NO_EPHEMERAL = 'cannot be set for an Ephemeral Container'

/** Validates ephemeral containers. */
export function validateEphemeralContainers(scope: ContainerScope, path: string): FieldError[] {
  const others = new Set([...(scope.spec.containers ?? []), ...(scope.spec.initContainers ?? [])].map((c) => c.name ?? ''))
  const names = new Set(others)
  return faultsOfEach(scope.spec.ephemeralContainers, (container, i) => {
    const at = index(path, i)
    const faults = [...validateContainer(container, scope, at), ...validateImageSpaces(container, at)]
    if (names.has(container.name ?? '')) faults.push(duplicate(child(at, 'name'), container.name ?? ''))
    else names.add(container.name ?? '')
    if (container.targetContainerName && !others.has(container.targetContainerName))
      faults.push(notFoundValue(child(at, 'targetContainerName'), container.targetContainerName))
    return [...faults, ...validateEphemeralFields(container, at)]
  })
}

function validateEphemeralFields(container: EphemeralContainer, path: string): FieldError[] {
  const faults: FieldError[] = []
  for (const field of NOT_FOR_EPHEMERAL) if (isSet(container, field)) faults.push(forbidden(child(path, field), NO_EPHEMERAL))
  return [
    ...faults,
    ...faultsOfEach(container.volumeMounts, (mount, i) => {
      const found: FieldError[] = []
      for (const field of ['subPath', 'subPathExpr'] as const)
        if (mount[field]) found.push(forbidden(child(index(child(path, 'volumeMounts'), i), field), NO_EPHEMERAL))
      return found
    }),
  ]
}

/** As Go compares with the zero value: a list that the body gave as empty is set. */
function isSet(container: EphemeralContainer, field: (typeof NOT_FOR_EPHEMERAL)[number]): boolean {
  const { resources } = container
  if (field === 'resources') return resources !== undefined && (Object.keys(resources).length > 0 || hasGivenEmpty(resources))
  return container[field] !== undefined || givenEmpty(container, field) !== undefined
}

/** Rules for containers of every type. */
function validateContainer(container: Container, scope: ContainerScope, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!container.name) faults.push(required(child(path, 'name')))
  else for (const text of dns1123Label(container.name)) faults.push(invalid(child(path, 'name'), container.name, text))
  if (!container.image) faults.push(required(child(path, 'image')))
  const policy = container.terminationMessagePolicy
  if (!policy) faults.push(required(child(path, 'terminationMessagePolicy')))
  else if (policy !== 'File' && policy !== 'FallbackToLogsOnError')
    faults.push(notSupported(child(path, 'terminationMessagePolicy'), policy, ['File', 'FallbackToLogsOnError']))
  return [
    ...faults,
    ...validatePorts(container.ports, child(path, 'ports')),
    ...validateEnv(container.env, child(path, 'env')),
    ...validateEnvFrom(container.envFrom, child(path, 'envFrom')),
    ...validateMounts(container, scope.volumes, child(path, 'volumeMounts')),
    ...validateDevices(container, scope.volumes, child(path, 'volumeDevices')),
    ...validatePullPolicy(container.imagePullPolicy, child(path, 'imagePullPolicy')),
    ...validateContainerResources(container.resources, scope.claims, child(path, 'resources')),
    ...validateResizePolicy(container.resizePolicy, scope.spec.restartPolicy ?? '', child(path, 'resizePolicy')),
    ...validateSecurityContext(container.securityContext, child(path, 'securityContext'), scope.spec.hostUsers ?? true, scope.rules),
  ]
}

/** In a pod, unlike a template, the name of an image must not have spaces around it. */
export function validateImageSpaces(container: Container, path: string): FieldError[] {
  const image = container.image ?? ''
  return image.trim() === image ? [] : [invalid(child(path, 'image'), image, 'must not have leading or trailing whitespace')]
}

const mostRules = 20
const mostCodes = 255

/** Of an init container without a policy Kubernetes does not examine the rules themselves. */
const validateInitRestart = (container: Container, path: string): FieldError[] =>
  container.restartPolicy === undefined ? validatePolicyGiven(container, path) : validateRestart(container, path)

function validatePolicyGiven({ restartPolicy, restartPolicyRules = [] }: Container, path: string): FieldError[] {
  if (restartPolicy !== undefined || restartPolicyRules.length === 0) return []
  return [required(child(path, 'restartPolicy'), 'must specify restartPolicy when restart rules are used')]
}

function validateRestart(container: Container, path: string): FieldError[] {
  const rules = container.restartPolicyRules ?? []
  const faults = validatePolicyGiven(container, path)
  if (container.restartPolicy !== undefined)
    faults.push(...validateEnum(container.restartPolicy, 'core_v1.RestartPolicy', child(path, 'restartPolicy')))
  const at = child(path, 'restartPolicyRules')
  if (rules.length > mostRules) faults.push(tooMany(at, rules.length, mostRules))
  return [...faults, ...faultsOfEach(rules, (rule, i) => validateRestartRule(rule, index(at, i)))]
}

function validateRestartRule(rule: NonNullable<Container['restartPolicyRules']>[number], path: string): FieldError[] {
  const faults: FieldError[] = []
  if (rule.action !== 'Restart' && rule.action !== 'RestartAllContainers')
    faults.push(notSupported(child(path, 'action'), rule.action ?? '', ['Restart', 'RestartAllContainers']))
  if (!rule.exitCodes) return [...faults, required(child(path, 'exitCodes'), 'must be specified')]
  const at = child(path, 'exitCodes')
  const operator = rule.exitCodes.operator ?? ''
  if (operator !== 'In' && operator !== 'NotIn') faults.push(notSupported(child(at, 'operator'), operator, ['In', 'NotIn']))
  const values = rule.exitCodes.values ?? []
  if (values.length > mostCodes) faults.push(tooMany(child(at, 'values'), values.length, mostCodes))
  return faults
}
