import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** What was found in a namespace that is being deleted. */
export interface NamespaceContent {
  /** Pods go first: while there are any (or they cannot be deleted) nothing else is touched. */
  readonly podsRemain: boolean
  /** How many objects of each resource are left, as `pods.` or `deployments.apps`. */
  readonly remaining: ReadonlyMap<string, number>
  /** How many of them wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
  /** Why the server could not tell of all that it serves, by group version. */
  readonly undiscovered: ReadonlyMap<string, string>
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

/** What is to be done with a namespace that is being deleted, after its content was looked at. */
export type NamespacePlan =
  /** Nothing is left: the namespace may go. */
  | { readonly kind: 'finalize' }
  /** Something is on its way out: look again. */
  | { readonly kind: 'wait' }
  /** Something went wrong: try again, later each time. */
  | { readonly kind: 'retry'; readonly why: string }

/** Decides by what was found. Pure. */
export function planNamespace(content: NamespaceContent): NamespacePlan {
  const [error] = [...content.errors, ...(content.undiscovered.size > 0 ? [discoveryError(content.undiscovered)] : [])]
  if (error !== undefined) return { kind: 'retry', why: error }
  return content.podsRemain || content.remaining.size > 0 ? { kind: 'wait' } : { kind: 'finalize' }
}

/** How long until a namespace with content left is looked at again: sooner at first, later than every eight seconds never. */
export const retryInMs = (attempt: number): number => Math.min(8_000, 250 * 2 ** Math.min(attempt, 10))

const discoveryError = (undiscovered: ReadonlyMap<string, string>) =>
  `unable to retrieve the complete list of server APIs: ${[...undiscovered].map(([gv, why]) => `${gv}: ${why}`).join(', ')}`

/** The conditions that tell what still stands in the way of the namespace's end. Pure. */
export function namespaceConditions(namespace: KubeObject, content: NamespaceContent, nowMs: number): NamespaceCondition[] {
  const { errors, undiscovered } = content
  // As long as there are pods nobody has counted the rest.
  const remaining = content.podsRemain ? NONE : content.remaining
  const finalizers = content.podsRemain ? NONE : content.finalizers
  const wanted: readonly ConditionText[] = [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      bad: undiscovered.size > 0,
      good: ['ResourcesDiscovered', 'All resources successfully discovered'],
      trouble: ['DiscoveryFailed', `Discovery failed for some groups, ${undiscovered.size} failing: ${discoveryError(undiscovered)}`],
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      bad: false,
      good: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
      trouble: ['', ''],
    },
    {
      type: 'NamespaceDeletionContentFailure',
      bad: errors.length > 0,
      good: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
      trouble: ['ContentDeletionFailed', `Failed to delete all resource types, ${errors.length} remaining: ${errors.join(', ')}`],
    },
    {
      type: 'NamespaceContentRemaining',
      bad: remaining.size > 0,
      good: ['ContentRemoved', 'All content successfully removed'],
      trouble: [
        'SomeResourcesRemain',
        `Some resources are remaining: ${list(remaining, (name, n) => `${name} has ${n} resource instances`)}`,
      ],
    },
    {
      type: 'NamespaceFinalizersRemaining',
      bad: finalizers.size > 0,
      good: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
      trouble: [
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${list(finalizers, (name, n) => `${name} in ${n} resource instances`)}`,
      ],
    },
  ]
  const before = (namespace.status?.conditions ?? []) as NamespaceCondition[]
  const own = wanted.map(({ type, bad, good, trouble }): NamespaceCondition => {
    const status = bad ? 'True' : 'False'
    const [reason, message] = bad ? trouble : good
    const old = before.find((c) => c.type === type)
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : timestamp(nowMs)
    return { type, status, lastTransitionTime, reason, message }
  })
  return [...own, ...before.filter((c) => !own.some((o) => o.type === c.type))]
}

interface ConditionText {
  readonly type: string
  readonly bad: boolean
  readonly good: readonly [reason: string, message: string]
  readonly trouble: readonly [reason: string, message: string]
}

const NONE: ReadonlyMap<string, number> = new Map()

const list = (counts: ReadonlyMap<string, number>, text: (name: string, n: number) => string) =>
  [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, n]) => text(name, n))
    .join(', ')
