import { StatusError } from '../../machinery/status-error.ts'

/** The rejection of a request that found no place. */
export const tooManyRequests = () =>
  new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: 'Too many requests, please try again later.',
    details: { retryAfterSeconds: 1 },
  })
