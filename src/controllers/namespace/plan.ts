import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** What was found in a namespace that is being deleted. */
export interface NamespaceContent {
  /** How many objects of each resource are left, as `pods` or `deployments.apps`. */
  readonly remaining: ReadonlyMap<string, number>
  /** How many of them wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
  /** What went wrong while deleting. */
  readonly errors: readonly string[]
}

/** `v1.NamespaceCondition` */
export interface NamespaceCondition {
  type: string
  status: 'True' | 'False'
  lastTransitionTime: string
  reason: string
  message: string
}

export const isEmpty = (content: NamespaceContent): boolean => content.errors.length === 0 && content.remaining.size === 0

/** The conditions that tell what still stands in the way of the namespace's end. */
export function namespaceConditions(namespace: KubeObject, content: NamespaceContent, nowMs: number): NamespaceCondition[] {
  const list = (counts: ReadonlyMap<string, number>, text: (name: string, n: number) => string) =>
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, n]) => text(name, n))
      .join(', ')
  const wanted: readonly (readonly [string, boolean, string, string, string])[] = [
    ['NamespaceDeletionDiscoveryFailure', false, '', 'ResourcesDiscovered', 'All resources successfully discovered'],
    ['NamespaceDeletionGroupVersionParsingFailure', false, '', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    [
      'NamespaceDeletionContentFailure',
      content.errors.length > 0,
      `Failed to delete all resource types, ${content.errors.length} remaining: ${content.errors.join(', ')}`,
      content.errors.length > 0 ? 'ContentDeletionFailed' : 'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ],
    [
      'NamespaceContentRemaining',
      content.remaining.size > 0,
      `Some resources are remaining: ${list(content.remaining, (name, n) => `${name} has ${n} resource instances`)}`,
      content.remaining.size > 0 ? 'SomeResourcesRemain' : 'ContentRemoved',
      'All content successfully removed',
    ],
    [
      'NamespaceFinalizersRemaining',
      content.finalizers.size > 0,
      `Some content in the namespace has finalizers remaining: ${list(content.finalizers, (name, n) => `${name} in ${n} resource instances`)}`,
      content.finalizers.size > 0 ? 'SomeFinalizersRemain' : 'ContentHasNoFinalizers',
      'All content-preserving finalizers finished',
    ],
  ]
  const before = (namespace.status?.conditions ?? []) as NamespaceCondition[]
  return wanted.map(([type, bad, trouble, reason, fine]) => {
    const status = bad ? 'True' : 'False'
    const old = before.find((c) => c.type === type)
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : timestamp(nowMs)
    return { type, status, lastTransitionTime, reason, message: bad ? trouble : fine }
  })
}
