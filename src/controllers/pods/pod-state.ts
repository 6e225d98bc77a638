import type { KubeObject } from '../../machinery/object.ts'
import type { Pod } from '../../resources/types/core.ts'

/** A condition of any object's status. */
interface Condition {
  readonly type: string
  readonly status: string
}

interface WithConditions<C extends Condition> {
  readonly status?: { readonly conditions?: readonly C[] | undefined } | undefined
}

/** The condition of this type, if the object has it. */
export const conditionOf = <C extends Condition>(object: WithConditions<C>, type: string): C | undefined =>
  object.status?.conditions?.find((c) => c.type === type)

/** The condition of this type, if it is `True`. */
export const conditionMet = <C extends Condition>(object: WithConditions<C>, type: string): C | undefined =>
  object.status?.conditions?.find((c) => c.type === type && c.status === 'True')

export const isReady = (pod: WithConditions<Condition>): boolean => conditionMet(pod, 'Ready') !== undefined
export const isFinished = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'
export const isTerminating = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined
/** Neither finished nor being deleted. */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod)

/** How long until a ready pod counts as available: 0 if it does, undefined if it is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  const ready = conditionMet(pod, 'Ready')
  if (ready === undefined) return undefined
  if (minReadySeconds === 0) return 0
  return Math.max(0, Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 - nowMs)
}

export const isAvailable = (pod: Pod, minReadySeconds: number, nowMs: number): boolean => availableInMs(pod, minReadySeconds, nowMs) === 0

/** How long until the next of these pods becomes available; undefined if none is about to. */
export function nextAvailableInMs(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  const waits = pods.flatMap((pod) => availableInMs(pod, minReadySeconds, nowMs) || [])
  return waits.length === 0 ? undefined : Math.min(...waits)
}

/** The restarts of the container that restarted most. */
export const restarts = ({ status }: Pod): number => Math.max(0, ...(status?.containerStatuses ?? []).map((c) => c.restartCount))

export const createdMs = (object: KubeObject): number => Date.parse(object.metadata.creationTimestamp ?? '') || 0

/** By creation, then by name. */
export const byAge = (a: KubeObject, b: KubeObject): number =>
  createdMs(a) - createdMs(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)

/** Leaves out what Go's `omitempty` leaves out. */
export function withoutZeros<T extends object>(fields: T): { [Field in keyof T]?: Exclude<T[Field], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, v]) => v !== undefined && v !== 0 && v !== '' && !(Array.isArray(v) && v.length === 0)),
  ) as { [Field in keyof T]?: Exclude<T[Field], undefined> }
}

/** `25%` of something, or a number. */
export function scaledValue(value: number | string | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'string') {
    const share = (Number.parseInt(value, 10) * total) / 100
    return round === 'up' ? Math.ceil(share) : Math.floor(share)
  }
  return value ?? 0
}
