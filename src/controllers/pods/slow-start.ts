/**
 * Calls `act` `count` times in growing batches (1, 2, 4 …), so that an error that would hit all calls costs one call, not a thousand. Stops
 * after the batch with the first failure; resolves with the number of successes and that failure.
 */
export async function slowStart(count: number, act: (index: number) => Promise<void>): Promise<{ done: number; error?: unknown }> {
  let done = 0
  for (let size = 1, next = 0; next < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - next) }, (_, i) => next + i)
    const results = await Promise.allSettled(batch.map(act))
    done += results.filter((r) => r.status === 'fulfilled').length
    const failed = results.find((r) => r.status === 'rejected')
    if (failed !== undefined) return { done, error: failed.reason }
    next += batch.length
  }
  return { done }
}
