import { parseDuration } from '../../../machinery/go/go-duration.ts'
import { TimeError } from '../../../machinery/go/time-error.ts'
import { badRequest, StatusError } from '../../../machinery/status-error.ts'
import type { Query } from '../../request/query.ts'

/** Default time limit of requests that are not long-running, as in Kubernetes (`--request-timeout`). */
export const REQUEST_LIMIT_MS = 60_000

/** The time limit that the client sets (`?timeout=5s`), if it is less than the server's. Throws 400 for an invalid duration. */
export function ownLimitMs(query: Query): number | undefined {
  const text = query.get('timeout')
  if (text === undefined || text === '') return undefined
  let nanos: bigint
  try {
    nanos = parseDuration(text)
  } catch (error) {
    if (error instanceof TimeError) throw badRequest(`invalid timeout specified in the request URL - ${error.message}`)
    throw error
  }
  const ms = Number(nanos / 1_000_000n)
  return ms > 0 && ms < REQUEST_LIMIT_MS ? ms : undefined
}

export const requestTimeout = (): StatusError =>
  new StatusError({
    code: 504,
    reason: 'Timeout',
    message: 'Timeout: request did not complete within the allotted timeout',
    details: {},
  })
