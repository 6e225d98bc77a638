import { timestamp } from '../../base/clock.ts'
import { millisecondsOf } from '../../machinery/go/go-duration.ts'
import { cloneJson, type KubeObject, nextGeneration } from '../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../machinery/resource/definition.ts'

/** The request of a delete. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly orphanDependents: boolean | undefined
  readonly propagationPolicy: string | undefined
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string } | undefined
}

/** What a delete does to an object in a given state. */
export type DeletePlan =
  /** It is already being deleted, and nothing changes. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'mark'; readonly draft: KubeObject; readonly thenDelete: boolean }
  | { readonly kind: 'delete' }

/** Decides by finalizers, grace period and the kind's rules. */
export function planDelete(object: KubeObject, options: DeleteOptions, rules: ResourceRules, context: RulesContext): DeletePlan {
  // Kubernetes takes a negative grace for a second.
  const requested = options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds
  const grace = rules.gracePeriodSeconds?.(object, requested)
  const finalizers = finalizersAfter(object.metadata.finalizers ?? [], options, rules)
  if (goesAtOnce(object, grace, finalizers, rules)) return { kind: 'delete' }
  const draft = cloneJson(object)
  const meta = draft.metadata
  let graceful = false
  if (meta.deletionTimestamp !== undefined) {
    // Without a grace period that is left, only finalizers can hold the object.
    if (grace !== undefined && meta.deletionGracePeriodSeconds) {
      if (requested === undefined || (requested >= meta.deletionGracePeriodSeconds && requested !== 0)) return { kind: 'pending' }
      const end = Date.parse(meta.deletionTimestamp) + millisecondsOf(requested) - millisecondsOf(meta.deletionGracePeriodSeconds)
      const over = end < context.now
      meta.deletionTimestamp = timestamp(over ? context.now : end)
      // A grace period that is over already is the shortest one: who ends the object still has to finish.
      meta.deletionGracePeriodSeconds = over && requested !== 0 ? 1 : requested
      graceful = true
    }
  } else if (grace !== undefined) {
    meta.deletionTimestamp = timestamp(context.now + millisecondsOf(grace))
    meta.deletionGracePeriodSeconds = grace
    countGeneration(draft)
    graceful = true
  }
  if (finalizers.length === 0) delete meta.finalizers
  else meta.finalizers = [...finalizers]
  const held = finalizers.length > 0
  if (graceful) return { kind: 'mark', draft, thenDelete: !held && meta.deletionGracePeriodSeconds === 0 }
  if (rules.holdOnDelete !== undefined) {
    const first = meta.deletionTimestamp === undefined
    // Not counted as a change of the object.
    meta.deletionTimestamp ??= timestamp(context.now)
    if (rules.holdOnDelete(draft, context, first)) return first ? { kind: 'mark', draft, thenDelete: false } : { kind: 'pending' }
  }
  if (!held) return { kind: 'delete' }
  markNow(draft, context.now)
  meta.deletionGracePeriodSeconds = 0
  return { kind: 'mark', draft, thenDelete: false }
}

/** True if nothing delays the deletion: then no draft is needed. */
function goesAtOnce(object: KubeObject, grace: number | undefined, finalizers: readonly string[], rules: ResourceRules): boolean {
  return (
    grace === undefined && finalizers.length === 0 && rules.holdOnDelete === undefined && object.metadata.deletionTimestamp === undefined
  )
}

function countGeneration({ metadata }: KubeObject): void {
  if ((metadata.generation ?? 0) > 0) metadata.generation = nextGeneration(metadata)
}

function markNow(draft: KubeObject, now: number): void {
  const meta = draft.metadata
  if (meta.deletionTimestamp === undefined) countGeneration(draft)
  if (meta.deletionTimestamp === undefined || Date.parse(meta.deletionTimestamp) > now) meta.deletionTimestamp = timestamp(now)
}

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/**
 * The finalizers with or without those of the garbage collector (`orphan`, `foregroundDeletion`). Returns its argument if nothing changes.
 */
function finalizersAfter(old: readonly string[], options: DeleteOptions, rules: ResourceRules): readonly string[] {
  const policy = propagation(options, old, rules)
  const others = old.filter((f) => f !== ORPHAN && f !== FOREGROUND)
  const wanted = policy === 'Orphan' ? [...others, ORPHAN] : policy === 'Foreground' ? [...others, FOREGROUND] : others
  return wanted.length === old.length && wanted.every((f) => old.includes(f)) ? old : wanted
}

function propagation(options: DeleteOptions, finalizers: readonly string[], rules: ResourceRules): string {
  if (rules.defaultPropagation === 'Unsupported') return 'Background'
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background'
  if (options.propagationPolicy !== undefined) return options.propagationPolicy
  if (finalizers.includes(ORPHAN)) return 'Orphan'
  if (finalizers.includes(FOREGROUND)) return 'Foreground'
  return rules.defaultPropagation ?? 'Background'
}
