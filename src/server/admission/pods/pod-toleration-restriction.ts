import type { AdmissionPlugin, AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { inTurns } from '../../../base/steps.ts'
import { faultText } from '../../../machinery/field-error.ts'
import { goDecode } from '../../../machinery/go/go-decode.ts'
import { goJsonFault } from '../../../machinery/go/go-json-fault.ts'
import { goInt64, goString, listOf, struct } from '../../../machinery/go/go-type.ts'
import { decodeJson } from '../../../machinery/json/strict-json.ts'
import { notFound } from '../../../machinery/status-error.ts'
import { qosClass } from '../../../resources/pod/qos.ts'
import { validateTolerations } from '../../../resources/pod/validation/validate-scheduling.ts'
import { PODS } from '../../../resources/refs.ts'
import type { Pod, Toleration } from '../../../resources/types/core.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { decodePluginConfiguration, PluginConfigurationError } from '../configuration/plugin-configuration.ts'
import { plainError } from '../plain-error.ts'
import { isAbout, isWrite } from '../requests-about.ts'
import { mergeTolerations, tolerationsAllowed } from './tolerations.ts'

export interface TolerationDefaults {
  /** Added to pods of namespaces without default tolerations. */
  readonly default: readonly Toleration[]
  /** The allowed tolerations of namespaces without a list; empty: all. */
  readonly whitelist: readonly Toleration[]
}

const TOLERATIONS = listOf(
  struct('v1.Toleration', { key: goString, operator: goString, value: goString, effect: goString, tolerationSeconds: goInt64 }),
)

/** Parses the plugin's configuration. @throws {PluginConfigurationError} */
export function readTolerationDefaults(text: string | undefined): TolerationDefaults {
  if (text === undefined) return { default: [], whitelist: [] }
  const value = decodePluginConfiguration(text, {
    group: 'podtolerationrestriction.admission.k8s.io',
    versions: ['v1alpha1'],
    kind: 'Configuration',
    type: (version) => struct(`${version}.Configuration`, { default: TOLERATIONS, whitelist: TOLERATIONS }),
    strict: false,
  })
  const { default: defaults = [], whitelist = [] } = value as Partial<TolerationDefaults>
  const faults = [
    ...validateTolerations(defaults, 'podtolerationrestriction.default'),
    ...validateTolerations(whitelist, 'podtolerationrestriction.whitelist'),
  ]
  if (faults.length > 0) throw new PluginConfigurationError(`invalid config: [${faults.map(faultText).join(' ')}]`)
  return { default: defaults, whitelist }
}

const NAMESPACE_DEFAULT = 'scheduler.alpha.kubernetes.io/defaultTolerations'
const NAMESPACE_ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'
const MEMORY_PRESSURE: Toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }

/** Adds the namespace's tolerations to pods, and refuses those that it does not allow. Off unless it is enabled. */
export function podTolerationRestriction(defaults: TolerationDefaults, { reader }: Pick<AdmissionDeps, 'reader'>): AdmissionPlugin<Pod> {
  const ofNamespace = (name: string, annotation: string): readonly Toleration[] | undefined => {
    const namespace = reader.get('', 'namespaces', '', name)
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, name)
    const { annotations } = namespace.metadata
    return annotations !== undefined && Object.hasOwn(annotations, annotation) ? readTolerations(annotations[annotation] ?? '') : undefined
  }
  const check = async (request: AdmissionRequest<Pod>) => {
    const tolerations = request.object?.spec?.tolerations ?? []
    if (tolerations.length === 0) return
    const own = ofNamespace(request.namespace, NAMESPACE_ALLOWED)
    if (await inTurns(tolerationsAllowed(tolerations, own ?? defaults.whitelist))) return
    const scope = own === undefined ? 'cluster' : 'namespace'
    throw plainError(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`)
  }
  return {
    name: 'PodTolerationRestriction',
    handles: (r) => isWrite(r) && isAbout(r, PODS) && r.object !== undefined,
    async mutate(request) {
      const pod = request.object
      if (pod?.spec === undefined) return
      const extra = [
        ...(request.operation === 'CREATE' ? (ofNamespace(request.namespace, NAMESPACE_DEFAULT) ?? defaults.default) : []),
        ...(qosClass(pod.spec) === 'BestEffort' ? [] : [MEMORY_PRESSURE]),
      ]
      if (extra.length > 0) pod.spec.tolerations = await inTurns(mergeTolerations(pod.spec.tolerations ?? [], extra))
      await check(request)
    },
    validate: check,
  }
}

/** The tolerations in an annotation. Throws upstream's message for an invalid one. */
function readTolerations(text: string): readonly Toleration[] {
  if (text === '') return []
  const fault = goJsonFault(text, '')
  if (fault !== undefined && !fault.startsWith('json: ')) throw plainError(fault)
  const decoded = goDecode(decodeJson(text).value, TOLERATIONS, { ignoreCase: true })
  if (decoded.fault !== undefined) throw plainError(decoded.fault)
  return (decoded.value ?? []) as readonly Toleration[]
}
