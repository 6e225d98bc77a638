import type { KubeObject } from '../../machinery/object.ts'

/** As kube-controller-manager's `--terminated-pod-gc-threshold`. */
export const TERMINATED_PODS_KEPT = 12_500

export interface PodGcView {
  readonly pods: readonly KubeObject[]
  /** Names of the nodes that exist. */
  readonly nodes: ReadonlySet<string>
}

/** Which pods nobody will ever take away: those of nodes that are gone, those that were deleted before they had a node, and old finished ones. */
export function planPodGc(view: PodGcView): readonly KubeObject[] {
  const finished = view.pods.filter((p) => p.status?.phase === 'Succeeded' || p.status?.phase === 'Failed')
  const oldest = finished
    .toSorted((a, b) => Date.parse(a.metadata.creationTimestamp ?? '') - Date.parse(b.metadata.creationTimestamp ?? ''))
    .slice(0, Math.max(0, finished.length - TERMINATED_PODS_KEPT))
  const stranded = view.pods.filter((p) =>
    p.spec?.nodeName ? !view.nodes.has(p.spec.nodeName) : p.metadata.deletionTimestamp !== undefined,
  )
  return [...new Set([...oldest, ...stranded])]
}
