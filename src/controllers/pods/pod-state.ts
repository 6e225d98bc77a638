import type { KubeObject } from '../../machinery/object.ts'

interface PodCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly lastTransitionTime?: string
}

/** A condition of any object's status. */
export const conditionOf = (object: KubeObject, type: string): PodCondition | undefined =>
  object.status?.conditions?.find((c: PodCondition) => c.type === type)

export const isReady = (pod: KubeObject): boolean => conditionOf(pod, 'Ready')?.status === 'True'
export const isFinished = (pod: KubeObject): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
export const isTerminating = (pod: KubeObject): boolean => pod.metadata.deletionTimestamp !== undefined
/** Neither finished nor on its way out. */
export const isActive = (pod: KubeObject): boolean => !isFinished(pod) && !isTerminating(pod)

/** How long until a ready pod counts as available: 0 when it does, undefined when it is not ready. */
export function availableInMs(pod: KubeObject, minReadySeconds: number, nowMs: number): number | undefined {
  const ready = conditionOf(pod, 'Ready')
  if (ready?.status !== 'True') return undefined
  if (minReadySeconds === 0) return 0
  return Math.max(0, Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 - nowMs)
}

export const isAvailable = (pod: KubeObject, minReadySeconds: number, nowMs: number): boolean =>
  availableInMs(pod, minReadySeconds, nowMs) === 0

export const restarts = (pod: KubeObject): number =>
  (pod.status?.containerStatuses ?? []).reduce((most: number, c: { restartCount?: number }) => Math.max(most, c.restartCount ?? 0), 0)

export const createdMs = (object: KubeObject): number => Date.parse(object.metadata.creationTimestamp ?? '') || 0

/** By creation, then by name. */
export const byAge = (a: KubeObject, b: KubeObject): number =>
  createdMs(a) - createdMs(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)

/** Leaves out what Go's `omitempty` leaves out. */
export function withoutZeros<T extends Readonly<Record<string, unknown>>>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, v]) => v !== undefined && v !== 0 && v !== '' && !(Array.isArray(v) && v.length === 0)),
  ) as Partial<T>
}

/** `25%` of something, or a number. */
export function scaledValue(value: number | string | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'string') {
    const share = (Number.parseInt(value, 10) * total) / 100
    return round === 'up' ? Math.ceil(share) : Math.floor(share)
  }
  return value ?? 0
}
