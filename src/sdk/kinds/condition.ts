/** `metav1.Condition`: one thing that is so, or not, about an object. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  /** The generation of the object that this was judged by. */
  observedGeneration?: number
  /** When `status` last changed; RFC 3339. */
  lastTransitionTime: string
  /** Why, in one word for programs. */
  reason: string
  /** For people; may be empty. */
  message: string
}

/** A condition as a reconciler returns it: times and generations are filled in. */
export interface ConditionNow {
  readonly type: string
  /** A boolean is short for `True` and `False`. */
  readonly status: boolean | 'True' | 'False' | 'Unknown'
  readonly reason: string
  /** Default: empty. */
  readonly message?: string
}

/**
 * The conditions as they are to be stored: `lastTransitionTime` moves only when `status` does (also when reason or message changed), the
 * generation is the object's.
 *
 * ```ts
 * const ready = { type: 'Ready', status: true, reason: 'Created' }
 * const conditions = nextConditions([], [ready], { now: '2026-01-01T00:00:00Z', generation: 3 })
 * ```
 */
export function nextConditions(
  before: readonly Condition[] | undefined,
  now: readonly ConditionNow[],
  at: { readonly now: string; readonly generation: number | undefined },
): Condition[] {
  return now.map(({ type, status, reason, message = '' }) => {
    const word = typeof status === 'boolean' ? (status ? 'True' : 'False') : status
    const old = before?.find((c) => c.type === type)
    return {
      type,
      status: word,
      ...(at.generation === undefined ? {} : { observedGeneration: at.generation }),
      lastTransitionTime: old?.status === word ? old.lastTransitionTime : at.now,
      reason,
      message,
    }
  })
}
