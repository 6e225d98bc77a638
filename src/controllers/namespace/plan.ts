import { byKey } from '../../base/by-text.ts'
import { timestamp } from '../../base/clock.ts'
import type { Namespace, NamespaceCondition } from '../../resources/types/core.ts'

/** What was found in a namespace that is being deleted. */
export interface NamespaceContent {
  /** Pods are deleted first: as long as there are any, or they cannot be deleted, nothing else is deleted. */
  readonly podsRemain: boolean
  /** How many objects of each resource are left, as `pods.` or `deployments.apps`. */
  readonly remaining: ReadonlyMap<string, number>
  /** How many of them wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
  /** Why discovery of a group version failed. */
  readonly undiscovered: ReadonlyMap<string, string>
  /** What went wrong while deleting. */
  readonly errors: readonly string[]
  /** Which objects are left although nothing holds them. */
  readonly stuck: readonly string[]
}

/** Whether the namespace is being deleted, and still has finalizers. Pure. */
export const isTerminating = ({ metadata, spec }: Namespace): boolean =>
  metadata.deletionTimestamp !== undefined && (spec?.finalizers ?? []).length > 0

/** What becomes of a namespace that is being deleted. */
export type NamespacePlan =
  /** Nothing is left. */
  | { readonly kind: 'finalize' }
  /** Some content is being deleted. */
  | { readonly kind: 'wait' }
  /** Something failed: it is tried again with growing pauses. */
  | { readonly kind: 'retry'; readonly why: string }

/** Pure. */
export function planNamespace(content: NamespaceContent): NamespacePlan {
  const [error] = [...content.errors, ...(content.undiscovered.size > 0 ? [discoveryError(content.undiscovered)] : [])]
  if (error !== undefined) return { kind: 'retry', why: error }
  return content.podsRemain || content.remaining.size > 0 ? { kind: 'wait' } : { kind: 'finalize' }
}

/** How long until a namespace with content left is tried again: 250 ms, doubling up to 8 s. */
export const retryInMs = (attempt: number): number => Math.min(8_000, 250 * 2 ** Math.min(attempt, 10))

const discoveryError = (undiscovered: ReadonlyMap<string, string>) =>
  `unable to retrieve the complete list of server APIs: ${[...undiscovered].map(([gv, why]) => `${gv}: ${why}`).join(', ')}`

/** The conditions that report what still prevents the end of the namespace. Pure. */
export function namespaceConditions(namespace: Namespace, content: NamespaceContent, nowMs: number): readonly NamespaceCondition[] {
  const { undiscovered } = content
  const errors = [...content.errors, ...content.stuck]
  // As long as there are pods the rest was not counted.
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
  const before = namespace.status?.conditions ?? []
  const own = wanted.map(({ type, bad, good, trouble }): NamespaceCondition => {
    const status = bad ? 'True' : 'False'
    const [reason, message] = bad ? trouble : good
    const old = before.find((c) => c.type === type)
    const lastTransitionTime = (old?.status === status ? old.lastTransitionTime : undefined) ?? timestamp(nowMs)
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
    .sort(byKey)
    .map(([name, n]) => text(name, n))
    .join(', ')
