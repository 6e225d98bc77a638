import type { DaemonSet } from '../../resources/types/apps.ts'
import type { Pod, PodSpec, Toleration } from '../../resources/types/core.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'

export const HASH_LABEL = 'controller-revision-hash'
export const GENERATION_LABEL = 'pod-template-generation'
export const GENERATION = 'deprecated.daemonset.template.generation'

const always = (key: string, effect: Toleration['effect'] & string): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect,
})

/** The tolerations of DaemonSet pods besides those of their template. */
export function daemonTolerations({ hostNetwork }: Partial<PodSpec>): readonly Toleration[] {
  return [
    always('not-ready', 'NoExecute'),
    always('unreachable', 'NoExecute'),
    always('disk-pressure', 'NoSchedule'),
    always('memory-pressure', 'NoSchedule'),
    always('pid-pressure', 'NoSchedule'),
    always('unschedulable', 'NoSchedule'),
    ...(hostNetwork ? [always('network-unavailable', 'NoSchedule')] : []),
  ]
}

/** A pod of the set for one node: its affinity lets the scheduler bind it to that node only. Pure. */
export function daemonPod(set: DaemonSet, node: string, hash: string): Pod {
  const { metadata, spec, ...pod } = podFromTemplate(set, set.spec.template)
  const generation = set.metadata.annotations?.[GENERATION]
  const labels = { ...metadata.labels, [HASH_LABEL]: hash, ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }) }
  const tolerations = daemonTolerations(spec)
  const own = (spec.tolerations ?? []).filter((t) => !tolerations.some((d) => d.key === t.key && d.effect === t.effect))
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [node] }] }]
  const nodeAffinity = { ...spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
  return {
    ...pod,
    metadata: { ...metadata, labels },
    spec: { ...spec, tolerations: [...own, ...tolerations], affinity: { ...spec.affinity, nodeAffinity } },
  }
}
