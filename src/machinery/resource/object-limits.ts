/** The most objects of each collection in a server, by `pods`, `deployments.apps`; `*` is the limit of every other collection. */
export type ObjectLimits = ReadonlyMap<string, number>

/** What fits into 4 GiB of heap: a pod takes some 10 KB of it, with everything that belongs to it. */
export const OBJECT_LIMITS: ObjectLimits = new Map([
  ['pods', 200_000],
  ['events', 300_000],
  ['*', 500_000],
])

/** Merges `pods=300000,*=1000000` into the defaults. @throws {RangeError} for the first entry that is not a positive integer */
export function readObjectLimits(given: ReadonlyMap<string, string | number>): ObjectLimits {
  const limits = new Map(OBJECT_LIMITS)
  for (const [collection, value] of given) {
    const most = typeof value === 'number' ? value : /^\d+$/.test(value) ? Number(value) : 0
    if (!Number.isSafeInteger(most) || most < 1) throw new RangeError(`${collection}=${value}: the limit must be a positive integer`)
    limits.set(collection, most)
  }
  return limits
}
