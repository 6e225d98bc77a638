import { isStatus } from '../../../machinery/status-error.ts'

/** The connection broke, or time ran out: the server may have stored what was sent, or may do so. */
export const hasNoResponse = (error: unknown): boolean =>
  !isStatus(error) || error.code === 504 || (error.code === 503 && error.cause !== undefined)
