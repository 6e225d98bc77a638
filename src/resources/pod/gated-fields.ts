import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../machinery/resource/definition.ts'
import { allContainers } from './defaults.ts'
import type { PodSpec } from './types.ts'

/** A field of a pod's spec behind a feature gate that is off by default. */
interface GatedField {
  readonly gate: string
  readonly isUsed: (spec: PodSpec) => boolean
  readonly drop: (spec: PodSpec) => void
}

/** The field of those parts of a spec that may have it. */
const gated = <Part extends object>(gate: string, field: keyof Part, parts: (spec: PodSpec) => readonly Part[]): GatedField => ({
  gate,
  isUsed: (spec) => parts(spec).some((part) => part[field] !== undefined),
  drop: (spec) => {
    for (const part of parts(spec)) delete part[field]
  },
})

const projections = (spec: PodSpec) => (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? [])

/** A lifecycle with nothing else is removed too. */
const stopSignal: GatedField = {
  gate: 'ContainerStopSignals',
  isUsed: (spec) => allContainers(spec).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined),
  drop: (spec) => {
    for (const container of allContainers(spec)) {
      if (container.lifecycle?.stopSignal === undefined) continue
      delete container.lifecycle.stopSignal
      if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle
    }
  },
}

const GATED: readonly GatedField[] = [
  stopSignal,
  gated('GenericWorkload', 'schedulingGroup', (spec) => [spec]),
  gated('ClusterTrustBundleProjection', 'clusterTrustBundle', projections),
  gated('PodCertificateRequest', 'podCertificate', projections),
]

/** Removes the fields whose feature gates are off, unless the old object uses them already. */
export function dropGatedFields(spec: PodSpec, old: PodSpec | undefined, { gates }: RulesContext): void {
  for (const { gate, isUsed, drop } of GATED)
    if (gates?.has(gate) !== true && isUsed(spec) && !(old !== undefined && isUsed(old))) drop(spec)
}

/** The rules of a kind with a pod's spec: they prepare objects without fields whose feature gates are off. */
export function withGatedFields<T extends KubeObject>(
  rules: ResourceRules<T>,
  specOf: (object: T) => PodSpec | undefined,
): ResourceRules<T> {
  return {
    ...rules,
    prepareForCreate: (draft, context) => {
      dropGatedFields(specOf(draft) ?? {}, undefined, context)
      rules.prepareForCreate?.(draft, context)
    },
    prepareForUpdate: (draft, old, context) => {
      dropGatedFields(specOf(draft) ?? {}, specOf(old), context)
      rules.prepareForUpdate?.(draft, old, context)
    },
  }
}
