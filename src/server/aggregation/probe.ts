import { goQuote } from '../../machinery/field-error.ts'
import { NetworkError } from '../services/network-error.ts'
import { rootOf } from './api-service.ts'
import { type AvailabilityCondition, failedCheck, PASSED } from './plan-availability.ts'
import type { RemoteDelegate } from './remote-delegate.ts'

/** The user of this server's probes. */
export const AGGREGATOR = { name: 'system:kube-aggregator', groups: ['system:masters'] }

const ATTEMPTS = 5
const TIMEOUT_MS = 5_000
/** The body is not read; only the status counts. */
const MOST_BYTES = 32 * 1024 * 1024

/** Requests a delegate's group version several times concurrently: one success is enough. */
export async function probe(delegate: RemoteDelegate): Promise<AvailabilityCondition> {
  const found = delegate.where()
  if (found.kind === 'missing') return failedCheck(found.message)
  const url = `https://${found.host}${rootOf(delegate.spec)}`
  const { promise, resolve } = Promise.withResolvers<AvailabilityCondition>()
  let left = ATTEMPTS
  const attempt = async () => {
    const why = await fault(delegate, url)
    left--
    if (why === undefined) resolve(PASSED)
    else if (left === 0) resolve(failedCheck(`failing or missing response from ${url}: ${why}`))
  }
  await Promise.race([promise, Promise.all(Array.from({ length: ATTEMPTS }, attempt))])
  return promise
}

async function fault(delegate: RemoteDelegate, url: string): Promise<string | undefined> {
  try {
    const { status } = await delegate.get({ path: rootOf(delegate.spec), user: AGGREGATOR, timeoutMs: TIMEOUT_MS }, MOST_BYTES)
    return status >= 200 && status < 300 ? undefined : `bad status from ${url}: ${status}`
  } catch (error) {
    if (error instanceof NetworkError) return `Get ${goQuote(url)}: ${error.message}`
    throw error
  }
}
