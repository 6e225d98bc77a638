import { Quantity } from '../../machinery/quantity.ts'
import { amountOf, MEANING, type Pressure, type Threshold } from './thresholds.ts'
import type { Observations } from './usage.ts'

/** The state between two checks. */
export interface PressureMemory {
  /** Since when each threshold has been met. */
  readonly metSinceMs: ReadonlyMap<Threshold, number>
  /** When each condition was last observed. */
  readonly seenMs: ReadonlyMap<Pressure, number>
  /** The thresholds that were acted on: they count until their minimum reclaim is reached. */
  readonly acting: readonly Threshold[]
}

export const NO_PRESSURE: PressureMemory = { metSinceMs: new Map(), seenMs: new Map(), acting: [] }

export interface PressureInput {
  readonly thresholds: readonly Threshold[]
  readonly observations: Observations
  /** How long a condition persists after it was last observed. */
  readonly transitionMs: number
  readonly nowMs: number
}

export interface PressureView {
  readonly memory: PressureMemory
  readonly conditions: readonly Pressure[]
  /** The thresholds to act on, the most urgent first. */
  readonly acting: readonly Threshold[]
}

/** Compares observations with thresholds. Pure. */
export function observePressure(before: PressureMemory, { thresholds, observations, transitionMs, nowMs }: PressureInput): PressureView {
  const now = new Set([
    ...thresholds.filter((t) => isMet(t, observations)),
    ...before.acting.filter((t) => isMet(t, observations, 'with what is to be reclaimed')),
  ])
  const met = thresholds.filter((t) => now.has(t))
  const metSinceMs = new Map(met.map((t) => [t, before.metSinceMs.get(t) ?? nowMs]))
  const seenMs = new Map([...before.seenMs, ...met.map((t) => [MEANING[t.signal].pressure, nowMs] as const)])
  const conditions = ORDER.filter((c) => nowMs - (seenMs.get(c) ?? Number.NEGATIVE_INFINITY) < transitionMs)
  const acting = met.filter((t) => nowMs - (metSinceMs.get(t) ?? nowMs) >= t.graceMs)
  return { memory: { metSinceMs, seenMs, acting }, conditions, acting: [...acting].sort((a, b) => urgency(a) - urgency(b)) }
}

const ORDER: readonly Pressure[] = ['DiskPressure', 'MemoryPressure', 'PIDPressure']

/** Whether the available amount is below the threshold. */
export function isMet({ signal, value, reclaim }: Threshold, observations: Observations, more?: 'with what is to be reclaimed'): boolean {
  const observed = observations.get(signal)
  if (observed === undefined) return false
  const least = amountOf(value, observed.capacity)
  const beyond = more === undefined || reclaim === undefined ? Quantity.zero : amountOf(reclaim, observed.capacity)
  return least.add(beyond).compare(observed.available) > 0
}

/** Memory comes first. */
const urgency = ({ signal }: Threshold) => (MEANING[signal].resource === 'memory' ? 0 : 1)
