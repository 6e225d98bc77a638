import { FlagValueError, type FlagValues } from '../../machinery/flags/flag.ts'
import { bool, componentKeyValues, harmless, keyValues, parseBool, refused, strings, text } from '../../machinery/flags/kinds.ts'
import { type ObjectLimits, readObjectLimits } from '../../machinery/resource/object-limits.ts'
import { GATED_KINDS, type GatedKind } from '../../resources/gated-kinds.ts'
import { OptionsError } from '../options-error.ts'
import { defaultOf, LOCKED } from './feature-gates.ts'
import type { RequestValues } from './requests.ts'
import { isSwitchedOn, type RuntimeConfig, readRuntimeConfig, runtimeConfigFaults } from './runtime-config.ts'

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
  /** Which versions are on or off otherwise than by default. */
  readonly runtimeConfig: RuntimeConfig
  /** The served kinds of which the gate and the version are off by default. */
  readonly gatedKinds: readonly GatedKind[]
  /** The minor version of Kubernetes 1 whose removed versions are served too; undefined: none are. */
  readonly age?: number | undefined
  /** A binding to a node without capacity for the pod is refused with a conflict, for all schedulers. Kubernetes accepts it. */
  readonly refuseDoubleBooking: boolean
  /** The most objects of each collection; a create beyond it is forbidden. */
  readonly objectLimits: ObjectLimits
}

export const featureFaults = ({
  values,
}: {
  readonly values: FeatureValues & Pick<RequestValues, 'enable-priority-and-fairness'>
}): string[] => runtimeConfigFaults(values['runtime-config'], { fair: values['enable-priority-and-fairness'] })

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

/** The gates that this server follows; of the others it has the default. GangScheduling concerns only the scheduler. */
const FOLLOWED: ReadonlySet<string> = new Set([
  ...GATED_KINDS.map(({ gate }) => gate),
  'AllowUnsafeMalformedObjectDeletion',
  'ClusterTrustBundleProjection',
  'GangScheduling',
])

export function readFeatures({ values }: { readonly values: FeatureValues }): FeatureOptions {
  const runtimeConfig = readRuntimeConfig(values['runtime-config'])
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
    runtimeConfig,
    gatedKinds: GATED_KINDS.filter(
      ({ gate, definition: { group, storageVersion, names } }) =>
        gates.has(gate) && isSwitchedOn(runtimeConfig, group, storageVersion, names.plural, false),
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
