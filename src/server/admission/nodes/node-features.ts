import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { semanticEqual } from '../../../machinery/equal.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { Quantity, tryParseQuantity } from '../../../machinery/quantity.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import { podRequests, type ResourceTotals } from '../../../resources/pod/pod-requests.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { NODES, PODS } from '../../../resources/refs.ts'
import type { Binding, Pod } from '../../../resources/types/core.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { isOf } from '../requests-about.ts'

/** A feature that an update of a pod may require of its node, which declares its features (`status.declaredFeatures`). */
interface NodeFeature {
  readonly name: string
  neededBy(pod: Pod, old: Pod): boolean
}

const FEATURES: readonly NodeFeature[] = [
  {
    name: 'InPlacePodLevelResourcesVerticalScaling',
    neededBy: (pod, old) => !semanticEqual(pod.spec.resources, old.spec.resources),
  },
  {
    name: 'InPlacePodVerticalScalingInitContainers',
    neededBy(pod, old) {
      const before = old.spec.initContainers ?? []
      return before.some((c, i) => c.restartPolicy !== 'Always' && !semanticEqual(c.resources, pod.spec.initContainers?.[i]?.resources))
    },
  },
]

const isPodUpdate = (r: AdmissionRequest) => r.operation === 'UPDATE' && isOf(r, PODS)

/** The new version of a bound pod whose spec changed. */
function changedPod({
  object,
  oldObject,
}: AdmissionRequest<Pod>): { readonly pod: Pod; readonly old: Pod; readonly node: string } | undefined {
  const node = object?.spec?.nodeName ?? ''
  if (object === undefined || oldObject === undefined || node === '' || object.metadata.generation === oldObject.metadata.generation)
    return undefined
  return { pod: object, old: oldObject, node }
}

/** Refuses updates of a bound pod that its node does not support. */
export function nodeDeclaredFeatureValidator({ reader }: AdmissionDeps): AdmissionPlugin<Pod> {
  return {
    name: 'NodeDeclaredFeatureValidator',
    handles: (r) => isPodUpdate(r) && (r.subresource === '' || r.subresource === 'resize'),
    validate(request) {
      const change = changedPod(request)
      if (change === undefined) return
      const needed = FEATURES.filter((f) => f.neededBy(change.pod, change.old)).map((f) => f.name)
      if (needed.length === 0) return
      const node = readObject(reader, NODES, '', change.node)
      if (node === undefined) throw refusal(request, `node ${goQuote(change.node)} not found`)
      const declared = node.status?.declaredFeatures ?? []
      const missing = needed.filter((name) => !declared.includes(name))
      if (missing.length > 0)
        throw refusal(request, `pod update requires features ${missing.join(', ')} which are not available on node ${goQuote(change.node)}`)
    },
  }
}

/** Refuses a resize beyond the capacity of the pod's node. */
export function podResizeValidator({ reader }: AdmissionDeps): AdmissionPlugin<Pod> {
  return {
    name: 'PodResizeValidator',
    handles: (r) => isPodUpdate(r) && r.subresource === 'resize',
    validate(request) {
      const change = changedPod(request)
      if (change === undefined) return
      const node = readObject(reader, NODES, '', change.node)
      if (node === undefined) throw refusal(request, `node ${goQuote(change.node)} not found`)
      const system = node.metadata.labels?.['kubernetes.io/os']
      if (system !== undefined && system !== 'linux') {
        throw caused(
          refusal(request, `pod resize is only supported on linux nodes, node ${goQuote(change.node)} is ${goQuote(system)}`),
          'UnsupportedPlatform',
        )
      }
      const over = beyond(podRequests(change.pod.spec), node.status?.allocatable ?? {})
      if (over.length > 0)
        throw caused(refusal(request, `node didn't have enough allocatable resources: ${over.join('; ')}`), 'NodeCapacity')
    },
  }
}

function beyond(requests: ResourceTotals, allocatable: Readonly<Record<string, string>>): string[] {
  const over: string[] = []
  for (const [name, shown] of [
    ['cpu', (q: Quantity) => q.milliValue()],
    ['memory', (q: Quantity) => q.value()],
  ] as const) {
    const wanted = requests.get(name) ?? Quantity.zero
    const given = tryParseQuantity(allocatable[name] ?? '0') ?? Quantity.zero
    if (wanted.compare(given) > 0) over.push(`${name}, requested: ${shown(wanted)}, allocatable: ${shown(given)}`)
  }
  return over
}

function caused({ status }: StatusError, reason: string): StatusError {
  return new StatusError({
    code: status.code,
    reason: 'Forbidden',
    message: status.message ?? '',
    details: { ...status.details, causes: [{ reason }] },
  })
}

const BINDINGS = { group: '', version: 'v1', resource: 'bindings' }
const TOPOLOGY = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']

/** Copies a node's topology labels to the pods that are bound to it. */
export function podTopologyLabels({ reader }: AdmissionDeps): AdmissionPlugin<Pod | Binding> {
  return {
    name: 'PodTopologyLabels',
    handles: (r) =>
      r.operation === 'CREATE' && ((isOf(r, PODS) && (r.subresource === 'binding' || r.subresource === '')) || isOf(r, BINDINGS)),
    mutate(request) {
      const { object } = request
      if (object === undefined) return
      const name = ('target' in object ? object.target?.name : object.spec?.nodeName) ?? ''
      const labels = name === '' ? undefined : reader.get('', 'nodes', '', name)?.metadata.labels
      const copied = Object.fromEntries(TOPOLOGY.flatMap((key) => (labels?.[key] === undefined ? [] : [[key, labels[key]]])))
      if (Object.keys(copied).length > 0) object.metadata.labels = { ...object.metadata.labels, ...copied }
    },
  }
}
