import type { HorizontalPodAutoscalerSpec, HPAScalingRules } from '../../resources/types/autoscaling.ts'

/**
 * The recent recommendations and scaling events of one autoscaler. Kept in memory only: after a restart it begins with the present size.
 */
export class ScalingHistory {
  #recommendations: { readonly atMs: number; readonly replicas: number }[]
  readonly #changes: { readonly atMs: number; readonly by: number }[] = []

  constructor(replicas: number, nowMs: number) {
    this.#recommendations = [{ atMs: nowMs, replicas }]
  }

  /** What was recommended in the last while. */
  within(spanMs: number, nowMs: number): readonly number[] {
    return this.#recommendations.filter((r) => r.atMs > nowMs - spanMs).map((r) => r.replicas)
  }

  /** One more; those older than `keepMs` are forgotten. */
  recommend(replicas: number, nowMs: number, keepMs: number): void {
    this.#recommendations = [...this.#recommendations.filter((r) => r.atMs > nowMs - keepMs), { atMs: nowMs, replicas }].slice(-LONGEST)
  }

  /** The size was changed by so many. */
  changed(by: number, nowMs: number): void {
    this.#changes.push({ atMs: nowMs, by })
    if (this.#changes.length > LONGEST) this.#changes.shift()
  }

  /** The size that it had so many seconds ago, when it has `current` now. */
  before(current: number, seconds: number, nowMs: number): number {
    let size = current
    for (const { atMs, by } of this.#changes) if (atMs > nowMs - seconds * 1000) size -= by
    return size
  }
}

/** One each 15 seconds for an hour, the longest window that a behaviour may name, and room for as much again. */
const LONGEST = 480

type Behavior = NonNullable<HorizontalPodAutoscalerSpec['behavior']>

/** Whether a proposal was limited, and why. */
export interface Limited {
  readonly replicas: number
  readonly reason: string
  readonly message: string
}

/** The default stabilization window of scale-downs. */
const DOWN_WINDOW_MS = 300_000

/** Stabilizes the proposal of the metrics: the highest, or for a scale-up the lowest, of the recent proposals. */
export function stabilise(size: DesiredSize, behavior: Behavior | undefined, history: ScalingHistory, nowMs: number): Limited {
  const { current, desired } = size
  const downMs =
    behavior?.scaleDown?.stabilizationWindowSeconds === undefined ? DOWN_WINDOW_MS : behavior.scaleDown.stabilizationWindowSeconds * 1000
  const upMs = (behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000
  const highest = Math.max(desired, ...history.within(downMs, nowMs))
  const lowest = Math.min(desired, ...history.within(upMs, nowMs))
  history.recommend(desired, nowMs, Math.max(downMs, upMs))
  const replicas = behavior === undefined ? highest : Math.min(Math.max(current, lowest), highest)
  if (replicas === desired) return { replicas, reason: 'ReadyForNewScale', message: 'recommended size matches current size' }
  const recent = 'recent recommendations were'
  return behavior !== undefined && desired >= current
    ? { replicas, reason: 'ScaleUpStabilized', message: `${recent} lower than current one, applying the lowest recent recommendation` }
    : { replicas, reason: 'ScaleDownStabilized', message: `${recent} higher than current one, applying the highest recent recommendation` }
}

/** A proposed size and its limits. */
export interface DesiredSize {
  readonly current: number
  readonly desired: number
  readonly least: number
  readonly most: number
}

const IN_RANGE = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' }
const TOO_MANY = { reason: 'TooManyReplicas', message: 'the desired replica count is more than the maximum replica count' }
const TOO_FEW = { reason: 'TooFewReplicas', message: 'the desired replica count is less than the minimum replica count' }
const TOO_FAST = { reason: 'ScaleUpLimit', message: 'the desired replica count is increasing faster than the maximum scale rate' }
const TOO_FAST_DOWN = { reason: 'ScaleDownLimit', message: 'the desired replica count is decreasing faster than the maximum scale rate' }

/** The limits of an autoscaler that names no behaviour: at most the double, or four. */
export function limitPlain({ current, desired, least, most }: DesiredSize): Limited {
  const fastest = Math.max(2 * current, 4)
  if (desired < least) return { replicas: least, ...TOO_FEW }
  if (most > fastest && desired > fastest) return { replicas: fastest, ...TOO_FAST }
  if (desired > most) return { replicas: most, ...TOO_MANY }
  return { replicas: desired, ...IN_RANGE }
}

/** The limits of its behaviour: what its policies allow after what was done of late. */
export function limitByBehavior(size: DesiredSize, behavior: Behavior, history: ScalingHistory, nowMs: number): Limited {
  const { current, desired, least, most } = size
  const began = (seconds: number) => history.before(current, seconds, nowMs)
  if (desired > current) {
    const fastest = Math.max(current, allowed(current, behavior.scaleUp ?? {}, 'up', began))
    const [limit, why] = most > fastest ? [fastest, TOO_FAST] : [most, TOO_MANY]
    if (desired > limit) return { replicas: limit, ...why }
  } else if (desired < current) {
    const slowest = Math.min(current, allowed(current, behavior.scaleDown ?? {}, 'down', began))
    const [limit, why] = least < slowest ? [slowest, TOO_FAST_DOWN] : [least, TOO_FEW]
    if (desired < limit) return { replicas: limit, ...why }
  }
  return { replicas: desired, ...IN_RANGE }
}

/** `began`: the number of replicas so many seconds ago. */
function allowed(current: number, rules: HPAScalingRules, direction: 'up' | 'down', began: (seconds: number) => number): number {
  if (rules.selectPolicy === 'Disabled') return current
  const sizes = (rules.policies ?? []).map(({ type, value = 0, periodSeconds = 0 }) => {
    const before = began(periodSeconds)
    const sign = direction === 'up' ? 1 : -1
    if (type === 'Pods') return before + sign * value
    const share = before * (1 + (sign * value) / 100)
    return direction === 'up' ? Math.ceil(share) : Math.trunc(share)
  })
  if (sizes.length === 0) return current
  // The default is the largest change.
  const most = (rules.selectPolicy !== 'Min') === (direction === 'up')
  return most ? Math.max(...sizes) : Math.min(...sizes)
}
