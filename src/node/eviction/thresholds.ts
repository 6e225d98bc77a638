import { byKey } from '../../base/by-text.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { parseQuantity, Quantity, QuantityError } from '../../machinery/quantity.ts'

/** The kubelet's eviction signals. */
export const SIGNALS = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
] as const
export type Signal = (typeof SIGNALS)[number]

/** The node's pressure conditions. */
export type Pressure = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure'

const MEMORY = { pressure: 'MemoryPressure', resource: 'memory' } as const
const DISK = { pressure: 'DiskPressure', resource: 'ephemeral-storage' } as const
const INODES = { pressure: 'DiskPressure', resource: 'inodes' } as const

/** The condition of a signal, and the resource that messages name. */
export const MEANING: Readonly<Record<Signal, { readonly pressure: Pressure; readonly resource: string }>> = {
  'memory.available': MEMORY,
  'allocatableMemory.available': MEMORY,
  'nodefs.available': DISK,
  'nodefs.inodesFree': INODES,
  'imagefs.available': DISK,
  'imagefs.inodesFree': INODES,
  'pid.available': { pressure: 'PIDPressure', resource: 'pids' },
}

/** A threshold is met when less than `value` is available. */
export interface Threshold {
  readonly signal: Signal
  /** A quantity, or a fraction of the capacity. */
  readonly value: Quantity | { readonly part: number }
  /** How long it has to be met before pods are evicted; 0: at once (hard). */
  readonly graceMs: number
  /** How much more has to be available before it is met no longer. */
  readonly reclaim?: Quantity | { readonly part: number }
}

/** The fields of a KubeletConfiguration that concern eviction; amounts by signal. */
export interface EvictionSettings {
  readonly evictionHard: Readonly<Record<string, string>>
  readonly evictionSoft: Readonly<Record<string, string>>
  readonly evictionSoftGracePeriod: Readonly<Record<string, string>>
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>
  /** Whether the node enforces allocatable for all pods together. */
  readonly enforcesPods: boolean
}

/** Settings with which the kubelet does not start; the message is the kubelet's. */
export class ThresholdError extends Error {
  override readonly name = 'ThresholdError'
  readonly code = 'bad-threshold'
}

/** The containers' file system is always nodefs or imagefs, and has the thresholds of that. */
const IGNORED: ReadonlySet<string> = new Set(['containerfs.available', 'containerfs.inodesFree'])
const WRITABLE: ReadonlySet<string> = new Set(SIGNALS)

/** Parses the eviction settings. @throws {ThresholdError} */
export function readThresholds(settings: EvictionSettings): readonly Threshold[] {
  const graces = new Map(Object.entries(settings.evictionSoftGracePeriod).map(([signal, text]) => [signal, graceOf(signal, text)]))
  const reclaims = new Map(Object.entries(settings.evictionMinimumReclaim).map(([signal, text]) => [signal, reclaimOf(signal, text)]))
  const hard = statements(settings.evictionHard).map((s) => ({ ...s, graceMs: 0 }))
  const soft = statements(settings.evictionSoft).map((s) => {
    const graceMs = graces.get(s.signal)
    if (graceMs === undefined) throw new ThresholdError(`grace period must be specified for the soft eviction threshold ${s.signal}`)
    return { ...s, graceMs }
  })
  const own = [...hard, ...soft].map((t): Threshold => {
    const reclaim = reclaims.get(t.signal)
    return reclaim === undefined ? t : { ...t, reclaim }
  })
  const memory = settings.enforcesPods ? own.filter((t) => t.signal === 'memory.available' && t.graceMs === 0) : []
  return [...own, ...memory.map((t): Threshold => ({ ...t, signal: 'allocatableMemory.available' }))]
}

/** The absolute amount for this capacity. */
export function amountOf(value: Threshold['value'], capacity: Quantity): Quantity {
  // The kubelet stores percentages as float32.
  return value instanceof Quantity ? value : Quantity.of(Math.trunc(Math.fround(value.part) * capacity.value()), 'BinarySI')
}

function statements(written: Readonly<Record<string, string>>): readonly Pick<Threshold, 'signal' | 'value'>[] {
  const sorted = Object.entries(written).sort(byKey)
  return sorted.flatMap(([name, text]) => {
    const signal = signalOf(name)
    // 0 % and 100 % disable a threshold.
    if (text === '0%' || text === '100%') return []
    const value = parsed(text)
    if (value instanceof Quantity) {
      if (value.sign() <= 0) throw new ThresholdError(`eviction threshold ${name} must be positive: ${value}`)
    } else if (value.part < 0) throw new ThresholdError(`eviction percentage threshold ${name} must be >= 0%: ${text}`)
    else if (value.part > 1) throw new ThresholdError(`eviction percentage threshold ${name} must be <= 100%: ${text}`)
    return signal === undefined ? [] : [{ signal, value }]
  })
}

/** undefined: a valid signal without effect. */
function signalOf(name: string): Signal | undefined {
  if (IGNORED.has(name)) return undefined
  if (WRITABLE.has(name)) return name as Signal
  throw new ThresholdError(`unsupported eviction signal ${name}`)
}

function graceOf(name: string, text: string): number {
  signalOf(name)
  const ms = parseGoDuration(text)
  if (ms === undefined) throw new ThresholdError(`time: invalid duration ${JSON.stringify(text)}`)
  if (ms < 0) throw new ThresholdError(`invalid eviction grace period specified: ${text}, must be a positive value`)
  return ms
}

function reclaimOf(name: string, text: string): NonNullable<Threshold['reclaim']> {
  signalOf(name)
  const value = parsed(text)
  if (value instanceof Quantity ? value.sign() < 0 : value.part <= 0)
    throw new ThresholdError(
      value instanceof Quantity
        ? `negative eviction minimum reclaim specified for ${name}`
        : `eviction percentage minimum reclaim ${name} must be positive: ${text}`,
    )
  return value
}

function parsed(text: string): Threshold['value'] {
  if (text.endsWith('%')) {
    const number = Number(text.slice(0, -1))
    if (text === '%' || !Number.isFinite(number))
      throw new ThresholdError(`strconv.ParseFloat: parsing ${JSON.stringify(text.slice(0, -1))}: invalid syntax`)
    return { part: number / 100 }
  }
  try {
    return parseQuantity(text)
  } catch (error) {
    if (error instanceof QuantityError) throw new ThresholdError(error.message, { cause: error })
    throw error
  }
}
