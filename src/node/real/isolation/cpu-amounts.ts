/** The kernel's words for amounts of processor time: 1024 shares a core, a quota for each 100 ms. */
export const CPU_PERIOD_US = 100_000
const SHARES_PER_CORE = 1024
const MIN_SHARES = 2
const MAX_SHARES = 262_144
const MIN_QUOTA_US = 1000

export const sharesOf = (milliCpu: number): number =>
  Math.min(Math.max(Math.floor((milliCpu * SHARES_PER_CORE) / 1000), MIN_SHARES), MAX_SHARES)

export const quotaOf = (milliCpu: number): number => Math.max((milliCpu * CPU_PERIOD_US) / 1000, MIN_QUOTA_US)
