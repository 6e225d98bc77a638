import { CelError, Duration, Timestamp } from '../values.ts'

const MIN_INT = -(2n ** 63n)
const MAX_INT = 2n ** 63n - 1n
const MAX_UINT = 2n ** 64n - 1n

/** The value if it fits an int64. */
export function checkedInt(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new CelError('integer overflow')
  return value
}

export function checkedUint(value: bigint): bigint {
  if (value < 0n || value > MAX_UINT) throw new CelError('unsigned integer overflow')
  return value
}

export function doubleToInt(value: number): bigint {
  // 2^63 exceeds the largest int, and -2^63 may have been rounded.
  if (Number.isNaN(value) || value >= 2 ** 63 || value <= -(2 ** 63)) throw new CelError('integer overflow')
  return BigInt(Math.trunc(value))
}

export function doubleToUint(value: number): bigint {
  if (Number.isNaN(value) || value >= 2 ** 64 || value < 0) throw new CelError('unsigned integer overflow')
  return BigInt(Math.trunc(value))
}

export function checkedDuration(nanos: bigint): Duration {
  if (nanos < MIN_INT || nanos > MAX_INT) throw new CelError('integer overflow')
  return new Duration(nanos)
}

/** From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z. */
const MIN_TIME = -62_135_596_800n * 1_000_000_000n
const MAX_TIME = 253_402_300_800n * 1_000_000_000n

export function checkedTimestamp(nanos: bigint, offsetMinutes?: number): Timestamp {
  if (nanos < MIN_TIME || nanos >= MAX_TIME) throw new CelError('timestamp overflow')
  return new Timestamp(nanos, offsetMinutes)
}
