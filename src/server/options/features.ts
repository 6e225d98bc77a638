import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, componentKeyValues, harmless, keyValues, refused, strings, text } from '../../machinery/flags/kinds.ts'

/** Which kinds are served, and what is switched on. */
export const FEATURE_FLAGS = {
  'runtime-config': keyValues({ help: 'group/version=true|false, api/all=…, api/beta=…' }),
  'runtime-config-emulation-forward-compatible': bool(false, harmless),
  'feature-gates': componentKeyValues({ help: 'Name=true|false' }),
  'emulated-version': strings([], refused('this server is Kubernetes 1.36')),
  'emulation-forward-compatible': bool(false, harmless),
  'min-compatibility-version': strings([], harmless),
  'allow-privileged': bool(false, { help: 'whether containers may be privileged' }),
  'refuse-double-booking': bool(false, { help: "Bowsprit's own: answer a binding for which its node has no room with a conflict" }),
  'contention-profiling': bool(false, harmless),
  'debug-socket-path': text('', refused('there is no socket for profiling')),
  profiling: bool(true, harmless),
}

type FeatureValues = FlagValues<typeof FEATURE_FLAGS>

export interface FeatureOptions {
  /** Serve `extensions/v1beta1` ThirdPartyResources too. */
  readonly thirdPartyResources: boolean
  readonly allowPrivileged: boolean
  /** A binding for which its node has no room is answered with a conflict, whichever scheduler asks. Kubernetes takes it. */
  readonly refuseDoubleBooking: boolean
}

export const featureFaults = (_flags: { readonly values: FeatureValues }): string[] => []

export const readFeatures = ({ values }: { readonly values: FeatureValues }): FeatureOptions => ({
  thirdPartyResources: false,
  allowPrivileged: values['allow-privileged'],
  refuseDoubleBooking: values['refuse-double-booking'],
})
