import { messageOf } from '../../base/message-of.ts'
import { type Status, StatusError, type StatusReason } from '../../machinery/status-error.ts'

/** The error of a response that is a failure: its Status if it has one, otherwise one made of its code and text. */
export function answerError(answer: {
  readonly code: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}): StatusError {
  const status = statusIn(answer.body)
  const retryAfter = Number(answer.headers['retry-after'])
  const error =
    status ??
    new StatusError({
      code: answer.code,
      reason: REASONS[answer.code] ?? '',
      message: answer.body.trim() === '' ? `the server answered ${answer.code} without a text` : answer.body.trim().slice(0, 2048),
    })
  if (Number.isFinite(retryAfter)) error.status.details = { ...error.status.details, retryAfterSeconds: retryAfter }
  return error
}

function statusIn(body: string): StatusError | undefined {
  if (!body.startsWith('{')) return undefined
  try {
    const status: Partial<Status> = JSON.parse(body)
    if (status.kind !== 'Status' || typeof status.code !== 'number') return undefined
    return StatusError.from({ ...status, metadata: status.metadata ?? {} } as Status)
  } catch {
    return undefined
  }
}

const REASONS: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** The server could not be reached, or the connection broke: code 503 without a reason, so that it differs from a server's own 503. */
export function unreachable(server: string, cause: unknown): StatusError {
  const why = messageOf(cause)
  return new StatusError({ code: 503, message: `cannot reach the API server at ${server}: ${why}`, cause })
}
