import type { Logger } from '../../base/logger.ts'
import { internalError, StatusError } from '../../machinery/status-error.ts'
import { StoreError } from '../../storage/store.ts'

/** Codes of errors that concern the whole store. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['closed', 'io', 'damaged', 'unavailable'])
/** Codes of errors whose message kube-apiserver passes on as etcd worded it. */
const AS_WORDED: ReadonlySet<string> = new Set(['no-leader', 'full', 'over-quota', 'too-large'])
/** Codes of errors that a client causes, as often as it likes: they are not logged. */
const CLIENTS: ReadonlySet<string> = new Set(['over-quota', 'too-large'])
const TIMEOUT = 'Timeout: request did not complete within requested timeout - context deadline exceeded'

/** An error of the store as the error of the request; any other error as it is. */
export function refusalOf(error: unknown, log: Logger): unknown {
  if (!(error instanceof StoreError)) return error
  if (error.code === 'untransformable') return internalError(error)
  if (!CLIENTS.has(error.code)) log.error('the store refused', { code: error.code, error })
  if (UNAVAILABLE.has(error.code)) return unavailable(error.message, error)
  if (error.code === 'timeout') return new StatusError({ code: 504, reason: 'Timeout', message: TIMEOUT, cause: error })
  if (AS_WORDED.has(error.code)) return new StatusError({ code: 500, message: error.message, cause: error })
  return new StatusError({ code: 500, reason: 'InternalError', message: `the store refused: ${error.message}`, cause: error })
}

export const unavailable = (message: string, cause?: unknown) =>
  new StatusError({ code: 503, reason: 'ServiceUnavailable', message, cause })
