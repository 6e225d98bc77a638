import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Node, Pod } from '../../resources/types/core.ts'

/** What happened in the cluster that may let a waiting pod be placed. */
export type EventKind =
  | 'node-added'
  | 'node-updated'
  /** A node was deleted. No built-in plugin is helped by that; an external one may be. */
  | 'node-deleted'
  /** A pod of a PodGroup was created. */
  | 'pod-added'
  | 'pod-assigned'
  | 'assigned-pod-updated'
  | 'assigned-pod-deleted'
  /** The waiting pod itself was changed. */
  | 'pod-updated'
  | 'object-changed'

/** An event by its kind; changes of other objects by their resource: `changed/persistentvolumes`. */
export type EventKey = Exclude<EventKind, 'object-changed'> | `changed/${string}`

export interface ClusterEvent {
  readonly kind: EventKind
  readonly node?: Readonly<Node>
  readonly oldNode?: Readonly<Node>
  readonly pod?: Readonly<Pod>
  readonly oldPod?: Readonly<Pod>
  /** For `object-changed`: which resource, and the object as it is now, or was when it went. */
  readonly resource?: string
  readonly object?: Readonly<KubeObject>
  /** For `object-changed`: as it was before. Neither this nor `gone`: it is new. */
  readonly oldObject?: Readonly<KubeObject>
  /** For `object-changed`: it went. */
  readonly gone?: true
}

export const eventKey = (event: ClusterEvent): EventKey =>
  event.kind === 'object-changed' ? `changed/${event.resource ?? ''}` : event.kind

/** The event as kube-scheduler's metrics name it: what happened, and to updates what of it may help a pod. */
export function eventLabel(event: ClusterEvent): string {
  switch (event.kind) {
    case 'node-added':
      return 'NodeAdd'
    case 'node-updated':
      return `NodeUpdate${nodeChange(event)}`
    case 'node-deleted':
      return 'NodeDelete'
    case 'pod-added':
      return 'UnschedulablePodAdd'
    case 'pod-assigned':
      return 'AssignedPodAdd'
    case 'assigned-pod-updated':
      return `AssignedPodUpdate${podChange(event)}`
    case 'assigned-pod-deleted':
      return 'AssignedPodDelete'
    case 'pod-updated':
      return `UnschedulablePodUpdate${podChange(event)}`
    case 'object-changed': {
      const { apiVersion = '', kind = '' } = event.object ?? {}
      const group = apiVersion.includes('/') ? `${apiVersion.slice(0, apiVersion.indexOf('/'))}/` : ''
      return `${group}${kind}${event.gone === true ? 'Delete' : event.oldObject === undefined ? 'Add' : 'Update'}`
    }
  }
}

function nodeChange({ node, oldNode }: ClusterEvent): string {
  if (!semanticEqual(node?.status?.allocatable, oldNode?.status?.allocatable)) return 'NodeAllocatable'
  if (!semanticEqual(node?.metadata.labels, oldNode?.metadata.labels)) return 'NodeLabel'
  if (!semanticEqual(node?.spec?.taints, oldNode?.spec?.taints) || node?.spec?.unschedulable !== oldNode?.spec?.unschedulable)
    return 'NodeTaint'
  if (!semanticEqual(node?.metadata.annotations, oldNode?.metadata.annotations)) return 'NodeAnnotation'
  return ''
}

function podChange({ pod, oldPod }: ClusterEvent): string {
  if (!semanticEqual(pod?.metadata.labels, oldPod?.metadata.labels)) return 'PodLabel'
  if ((oldPod?.spec.schedulingGates ?? []).length > 0 && (pod?.spec.schedulingGates ?? []).length === 0)
    return 'PodSchedulingGatesEliminated'
  return ''
}
