import { child, duplicate, type FieldError, index, invalid, required } from '../../machinery/field-error.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { qualifiedName } from '../../machinery/names.ts'
import { isExtendedResource } from '../cache/amounts.ts'
import { POINTS } from '../framework/extension-points.ts'
import type { CompleteConfiguration, CompleteProfile, PluginSet } from './complete.ts'
import { ARGS, GROUP_VERSION } from './schema.ts'
import { validateArgs } from './validate-args.ts'

/** All faults of a configuration, in upstream's order. */
export function validateConfiguration(configuration: CompleteConfiguration): FieldError[] {
  const { clientConnection, parallelism, podInitialBackoffSeconds: initial, podMaxBackoffSeconds: max } = configuration
  return [
    ...(clientConnection.burst < 0 ? [invalid('clientConnection.burst', clientConnection.burst, 'must be non-negative')] : []),
    ...validateLeaderElection(configuration.leaderElection),
    ...(parallelism <= 0 ? [invalid('parallelism', parallelism, 'should be an integer value greater than zero')] : []),
    ...validateProfiles(configuration.profiles),
    ...validatePercentage('percentageOfNodesToScore', configuration.percentageOfNodesToScore),
    ...(initial <= 0 ? [invalid('podInitialBackoffSeconds', initial, 'must be greater than 0')] : []),
    ...(max < initial ? [invalid('podMaxBackoffSeconds', max, 'must be greater than or equal to PodInitialBackoffSeconds')] : []),
    ...validateExtenders(configuration.extenders),
  ]
}

function validateLeaderElection(election: CompleteConfiguration['leaderElection']): FieldError[] {
  if (!election.leaderElect) return []
  const at = (name: string) => child('leaderElection', name)
  const { leaseDuration, renewDeadline, retryPeriod, resourceLock } = election
  const faults: FieldError[] = []
  const positive = (name: string, value: string) => {
    if ((parseGoDuration(value) ?? 0) <= 0) faults.push(invalid(at(name), value, 'must be greater than zero'))
  }
  positive('leaseDuration', leaseDuration)
  positive('renewDeadline', renewDeadline)
  positive('retryPeriod', retryPeriod)
  if ((parseGoDuration(leaseDuration) ?? 0) <= (parseGoDuration(renewDeadline) ?? 0))
    faults.push(invalid(at('leaseDuration'), renewDeadline, 'must be greater than `RenewDeadline`'))
  if (resourceLock !== 'leases') faults.push(invalid(at('resourceLock'), resourceLock, 'resourceLock value must be "leases"'))
  return faults
}

const validatePercentage = (path: string, value: number | undefined): FieldError[] =>
  value !== undefined && (value < 0 || value > 100) ? [invalid(path, value, 'not in valid range [0-100]')] : []

function validateProfiles(profiles: readonly CompleteProfile[]): FieldError[] {
  const seen = new Set<string>()
  const faults: FieldError[] = []
  profiles.forEach((profile, i) => {
    const path = index('profiles', i)
    faults.push(...validateProfile(profile, path))
    if (seen.has(profile.schedulerName) && profile.schedulerName !== '') faults.push(duplicate(child(path, 'schedulerName'), {}))
    seen.add(profile.schedulerName)
  })
  const [first, ...others] = profiles
  others.forEach((profile, i) => {
    const own = queueSortText(profile.plugins.queueSort)
    if (first !== undefined && JSON.stringify(own) !== JSON.stringify(queueSortText(first.plugins.queueSort)))
      faults.push(invalid(child(index('profiles', i + 1), 'plugins', 'queueSort'), own, 'must be the same for all profiles'))
  })
  return faults
}

/** The set as Go shows its internal type. */
function queueSortText({ enabled, disabled }: PluginSet) {
  const list = (refs: PluginSet['enabled']) => (refs.length === 0 ? null : refs.map(({ name, weight }) => ({ Name: name, Weight: weight })))
  return { Enabled: list(enabled), Disabled: list(disabled) }
}

/** Plugins that went with the volume types of cloud providers. */
const REMOVED = new Set(['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits'])

function validateProfile(profile: CompleteProfile, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (profile.schedulerName === '') faults.push(required(child(path, 'schedulerName')))
  faults.push(...validatePercentage(child(path, 'percentageOfNodesToScore'), profile.percentageOfNodesToScore))
  for (const point of [...POINTS, 'multiPoint'] as const) {
    profile.plugins[point].enabled.forEach(({ name }, i) => {
      if (!REMOVED.has(name)) return
      const detail = `was invalid in version "v1" (KubeSchedulerConfiguration is version "${GROUP_VERSION}")`
      faults.push(invalid(index(child(path, 'plugins', point, 'enabled'), i), name, detail))
    })
  }
  const seen = new Set<string>()
  profile.pluginConfig.forEach(({ name, args }, i) => {
    const at = index(child(path, 'pluginConfig'), i)
    if (seen.has(name)) faults.push(duplicate(at, name))
    else if (Object.hasOwn(ARGS, name)) faults.push(...validateArgs(name, args, child(at, 'args')))
    seen.add(name)
  })
  return faults
}

function validateExtenders(extenders: CompleteConfiguration['extenders']): FieldError[] {
  const faults: FieldError[] = []
  const managed = new Set<string>()
  extenders.forEach((extender, i) => {
    const path = index('extenders', i)
    if (extender.prioritizeVerb && (extender.weight ?? 0) <= 0)
      faults.push(invalid(child(path, 'weight'), extender.weight ?? 0, 'must have a positive weight applied to it'))
    ;(extender.managedResources ?? []).forEach(({ name = '' }, j) => {
      const at = child(index(child(path, 'managedResources'), j), 'name')
      const wrong = validateExtendedResourceName(name, at)
      if (wrong.length > 0) faults.push(...wrong)
      else if (managed.has(name)) faults.push(invalid(at, name, 'duplicate extender managed resource name'))
      managed.add(name)
    })
  })
  const binders = extenders.filter((e) => e.bindVerb).length
  if (binders > 1) faults.push(invalid('extenders', `found ${binders} extenders implementing bind`, 'only one extender can implement bind'))
  return faults
}

function validateExtendedResourceName(name: string, at: string): FieldError[] {
  const faults = qualifiedName(name).map((detail) => invalid(at, name, detail))
  if (faults.length > 0) return faults
  return isExtendedResource(name) ? [] : [invalid(at, name, 'is an invalid extended resource name')]
}
