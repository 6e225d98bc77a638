/** The most objects that a server keeps of one collection, by `pods`, `deployments.apps`; `*` is the limit of every other collection. */
export type ObjectLimits = ReadonlyMap<string, number>

/** What 4 GiB of heap hold: a pod takes some 10 KB of it with everything that follows from it. */
export const OBJECT_LIMITS: ObjectLimits = new Map([
  ['pods', 200_000],
  ['events', 300_000],
  ['*', 500_000],
])

/** Reads `pods=300000,*=1000000` over the defaults. @throws {RangeError} that names the first entry that is not a positive integer */
export function readObjectLimits(given: ReadonlyMap<string, string | number>): ObjectLimits {
  const limits = new Map(OBJECT_LIMITS)
  for (const [collection, value] of given) {
    const most = typeof value === 'number' ? value : /^\d+$/.test(value) ? Number(value) : 0
    if (!Number.isSafeInteger(most) || most < 1) throw new RangeError(`${collection}=${value}: the limit must be a positive integer`)
    limits.set(collection, most)
  }
  return limits
}
