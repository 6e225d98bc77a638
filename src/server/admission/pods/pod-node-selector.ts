import type { AdmissionPlugin, AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { isObject } from '../../../machinery/object.ts'
import { forbiddenStatus, notFound, type StatusError } from '../../../machinery/status-error.ts'
import { decodeYaml, YamlError } from '../../../machinery/yaml/yaml.ts'
import type { Pod } from '../../../resources/types/core.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { plainError } from '../plain-error.ts'
import { createdPod } from '../requests-about.ts'
import { type LabelMap, parseLabelMap } from './label-map.ts'

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector'
/** The entry for namespaces without a selector of their own. */
const DEFAULT = 'clusterDefaultNodeSelector'

/** Node selectors as texts: the allowed ones by namespace, and the default. */
export type NodeSelectors = Readonly<Record<string, string>>

/** Parses `podNodeSelectorPluginConfig`. As upstream, an invalid configuration is ignored. */
export function readNodeSelectors(text: string): NodeSelectors {
  try {
    const { value } = decodeYaml(text)
    const section = isObject(value)
      ? Object.entries(value).find(([key]) => key.toLowerCase() === 'podnodeselectorpluginconfig')?.[1]
      : undefined
    return isObject(section)
      ? Object.fromEntries(Object.entries(section).flatMap(([key, v]) => (typeof v === 'string' ? [[key, v]] : [])))
      : {}
  } catch (error) {
    if (error instanceof YamlError) return {}
    throw error
  }
}

/** Adds the namespace's node selector to pods, and refuses selectors outside the namespace's allowed list. Off unless it is enabled. */
export function podNodeSelector(selectors: NodeSelectors, { reader }: Pick<AdmissionDeps, 'reader'>): AdmissionPlugin {
  const labelsOf = (text: string): LabelMap => {
    const map = parseLabelMap(text)
    if ('fault' in map) throw plainError(map.fault)
    return map
  }
  const ofNamespace = (name: string): LabelMap => {
    const namespace = reader.get('', 'namespaces', '', name)
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, name)
    const own = namespace.metadata.annotations
    return labelsOf((own !== undefined && Object.hasOwn(own, ANNOTATION) ? own[ANNOTATION] : selectors[DEFAULT]) ?? '')
  }
  const check = (request: AdmissionRequest) => {
    const pod = createdPod(request)
    if (pod === undefined) return
    const wanted = podSelector(pod)
    if (conflicts(ofNamespace(request.namespace), wanted))
      throw refused(request, 'pod node label selector conflicts with its namespace node label selector')
    const allowed = labelsOf((Object.hasOwn(selectors, request.namespace) ? selectors[request.namespace] : '') ?? '')
    if (allowed.size > 0 && wanted.some(([key, value]) => allowed.get(key) !== value))
      throw refused(request, 'pod node label selector labels conflict with its namespace whitelist')
  }
  return {
    name: 'PodNodeSelector',
    handles: (r) => createdPod(r) !== undefined,
    mutate(request) {
      const pod = createdPod(request)
      if (pod === undefined) return
      const namespace = ofNamespace(request.namespace)
      const wanted = podSelector(pod)
      if (conflicts(namespace, wanted)) throw refused(request, 'pod node label selector conflicts with its namespace node label selector')
      if (namespace.size > 0) pod.spec.nodeSelector = Object.fromEntries([...namespace, ...wanted])
      check(request)
    },
    validate: check,
  }
}

const podSelector = (pod: Pod): [string, string][] => Object.entries(pod.spec?.nodeSelector ?? {})

const conflicts = (a: LabelMap, b: readonly (readonly [string, string])[]): boolean =>
  b.some(([key, value]) => a.has(key) && a.get(key) !== value)

/** As upstream, the message has the pod's current name, which is empty for a generated one. */
const refused = (request: AdmissionRequest, why: string): StatusError =>
  forbiddenStatus({ group: '', resource: 'pods' }, request.object?.metadata.name ?? '', why)
