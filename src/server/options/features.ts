import { FlagValueError, type FlagValues } from '../../machinery/flags/flag.ts'
import { bool, componentKeyValues, harmless, keyValues, parseBool, refused, strings, text } from '../../machinery/flags/kinds.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { type ObjectLimits, readObjectLimits } from '../../machinery/resource/object-limits.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { GATED_KINDS, type GatedKind } from '../../resources/gated-kinds.ts'
import { OptionsError } from '../options-error.ts'
import { defaultOf, LOCKED } from './feature-gates.ts'
import type { RequestValues } from './requests.ts'

/** The served kinds and the enabled features. */
export const FEATURE_FLAGS = {
  'runtime-config': keyValues({ help: 'group/version=true|false, api/all=…, api/beta=…' }, { bare: true }),
  'runtime-config-emulation-forward-compatible': bool(false, harmless),
  'feature-gates': componentKeyValues({ help: 'Name=true|false' }),
  'emulated-version': strings([], refused('this server is Kubernetes 1.36')),
  'emulation-forward-compatible': bool(false, harmless),
  'min-compatibility-version': strings([], harmless),
  'allow-privileged': bool(false, { help: 'allow privileged containers' }),
  'refuse-double-booking': bool(false, { help: "Bowsprit's own: refuse a binding that does not fit on its node, with a conflict" }),
  'object-limits': keyValues({
    help: "Bowsprit's own: the largest number of objects of each collection (pods=300000,leases.coordination.k8s.io=1000; *: every other one)",
  }),
  'contention-profiling': bool(false, harmless),
  'debug-socket-path': text('', refused('there is no socket for profiling')),
  profiling: bool(true, harmless),
}

type FeatureValues = FlagValues<typeof FEATURE_FLAGS>

export interface FeatureOptions {
  /** Feature gates that were set to another value than their default, without effect on this server. */
  readonly unusualGates: readonly string[]
  /** Serve `extensions/v1beta1` ThirdPartyResources too. */
  readonly thirdPartyResources: boolean
  readonly allowPrivileged: boolean
  /** Feature gates that are off by default, and that this server follows where they are turned on. */
  readonly gates: ReadonlySet<string>
  /** The served kinds of which the gate and the version are off by default. */
  readonly gatedKinds: readonly GatedKind[]
  /** The minor version of Kubernetes 1 whose removed versions are served too; undefined: none are. */
  readonly age?: number | undefined
  /** A binding to a node without capacity for the pod is refused with a conflict, for all schedulers. Kubernetes accepts it. */
  readonly refuseDoubleBooking: boolean
  /** The most objects of each collection; a create beyond it is forbidden. */
  readonly objectLimits: ObjectLimits
}

const KINDS_OF_VERSIONS: ReadonlySet<string> = new Set(['api/all', 'api/ga', 'api/beta', 'api/alpha', 'api/legacy', 'v1'])

export function featureFaults({
  values,
}: {
  readonly values: FeatureValues & Pick<RequestValues, 'enable-priority-and-fairness'>
}): string[] {
  const config = values['runtime-config']
  for (const key of config.keys()) {
    const parts = key.split('/').length
    if (!KINDS_OF_VERSIONS.has(key) && parts !== 2 && parts !== 3) return [`runtime-config invalid key ${key}`]
  }
  if (config.get('api/all') === 'false' && config.size === 1)
    return [
      ...(values['enable-priority-and-fairness']
        ? ['--runtime-config=api/all=false conflicts with --enable-priority-and-fairness=true']
        : []),
      'invalid runtime-config with only api/all=false',
    ]
  const unknown = [...config.keys()].filter((key) => !KINDS_OF_VERSIONS.has(key) && !isKnownGroup(key.slice(0, key.indexOf('/'))))
  return unknown.length === 0 ? [] : [`unknown api groups ${unknown.toSorted().join(',')}`]
}

/** Groups of Kubernetes 1.36 that this server does not serve. */
const UNSERVED: ReadonlySet<string> = new Set(['internal.apiserver.k8s.io', 'storagemigration.k8s.io', 'imagepolicy.k8s.io'])
const isKnownGroup = (group: string) => UNSERVED.has(group) || builtinResources().some((definition) => definition.group === group)

/** Versions of served groups; for a resource (`group/version/resource`) its version. */
function isKnownVersion(key: string): boolean {
  if (KINDS_OF_VERSIONS.has(key)) return true
  const [group = '', version = ''] = key.split('/')
  if (UNSERVED.has(group)) return true
  return builtinResources().some((d) => d.group === group && (d.versions.some((v) => v.version === version) || isUnserved(version)))
}

/** Alpha and beta versions of Kubernetes that this server never serves. */
const isUnserved = (version: string) => /^v[1-3](alpha|beta)[1-4]$/.test(version)

/** Reported before all other faults: kube-apiserver parses feature gates before it validates its flags. */
export function gateFault({ values }: { readonly values: FeatureValues }): string | undefined {
  for (const { component, name, value } of values['feature-gates']) {
    if (component !== 'kube') return `component not registered: ${component}`
    if (value === undefined) return `missing bool value for ${name}`
    const fallback = ALL.has(name) ? false : defaultOf(name)
    if (fallback === undefined) return `unrecognized feature gate: ${name}`
    try {
      const on = parseBool(value)
      if (LOCKED.has(name) && !on) return `cannot set feature gate ${name} to ${value}, feature is locked to true`
    } catch (error) {
      if (!(error instanceof FlagValueError)) throw error
      return `invalid value of ${name}=${value}, err: ${error.message}`
    }
  }
  return undefined
}

const ALL: ReadonlySet<string> = new Set(['AllAlpha', 'AllBeta'])

/** Refuses settings that this server cannot apply: the served versions are fixed. */
function checkRuntimeConfig(config: ReadonlyMap<string, string>): void {
  for (const [key, value] of config) {
    let on: boolean
    try {
      on = (value === '' && !KINDS_OF_VERSIONS.has(key)) || parseBool(value)
    } catch (cause) {
      const why =
        KINDS_OF_VERSIONS.has(key) || !(cause instanceof FlagValueError)
          ? `invalid value ${key}=${value}`
          : `invalid value of ${key}: ${value}, err: ${cause.message}`
      throw new OptionsError('bad-option', why, { cause })
    }
    if (!isKnownVersion(key)) throw new OptionsError('bad-option', `group version ${key} that has not been registered`)
    if (!on)
      throw new OptionsError(
        'bad-option',
        `--runtime-config=${key}=${value} cannot be followed by Bowsprit: versions cannot be switched off`,
      )
  }
}

/** The gates that this server follows; of the others it has the default. GangScheduling concerns only the scheduler. */
const FOLLOWED: ReadonlySet<string> = new Set([
  ...GATED_KINDS.map(({ gate }) => gate),
  'AllowUnsafeMalformedObjectDeletion',
  'ClusterTrustBundleProjection',
  'GangScheduling',
])

/** The settings of `--runtime-config` that serve a kind. A setting is never `false` here. */
function settingsOf({ group, storageVersion: version, names }: ResourceDefinition): readonly string[] {
  const level = version.includes('alpha') ? 'api/alpha' : 'api/beta'
  return [`${group}/${version}/${names.plural}`, `${group}/${version}`, level, 'api/all']
}

export function readFeatures({ values }: { readonly values: FeatureValues }): FeatureOptions {
  checkRuntimeConfig(values['runtime-config'])
  const given = values['feature-gates']
  const isOn = ({ value }: (typeof given)[number]) => value !== undefined && parseBool(value)
  const gates = new Set(given.filter((gate) => FOLLOWED.has(gate.name) && isOn(gate)).map(({ name }) => name))
  return {
    unusualGates: given.flatMap(({ name, value }) =>
      FOLLOWED.has(name) || value === undefined || parseBool(value) === (defaultOf(name) ?? false) ? [] : [`${name}=${value}`],
    ),
    thirdPartyResources: false,
    allowPrivileged: values['allow-privileged'],
    gates,
    gatedKinds: GATED_KINDS.filter(
      ({ gate, definition }) => gates.has(gate) && settingsOf(definition).some((key) => values['runtime-config'].has(key)),
    ),
    refuseDoubleBooking: values['refuse-double-booking'],
    objectLimits: objectLimits(values['object-limits']),
  }
}

function objectLimits(given: ReadonlyMap<string, string>): ObjectLimits {
  try {
    return readObjectLimits(given)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new OptionsError('bad-option', `--object-limits: ${cause.message}`, { cause })
  }
}
