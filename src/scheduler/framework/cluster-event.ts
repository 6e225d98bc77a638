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

/** The event as kube-scheduler's metrics name it. */
export function eventLabel(event: ClusterEvent): string {
  switch (event.kind) {
    case 'node-added':
      return 'NodeAdd'
    case 'node-updated':
      return 'NodeUpdate'
    case 'node-deleted':
      return 'NodeDelete'
    case 'pod-added':
      return 'PodAdd'
    case 'pod-assigned':
      return 'AssignedPodAdd'
    case 'assigned-pod-updated':
      return 'AssignedPodUpdate'
    case 'assigned-pod-deleted':
      return 'AssignedPodDelete'
    case 'pod-updated':
      return 'PodUpdate'
    case 'object-changed':
      return `${event.resource ?? ''}${event.gone === true ? 'Delete' : event.oldObject === undefined ? 'Add' : 'Update'}`
  }
}
