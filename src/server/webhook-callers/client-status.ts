import type { IncomingHttpHeaders } from 'node:http'
import { goQuote } from '../../machinery/field-error.ts'
import { decodeJsonInTurns } from '../../machinery/json/strict-json.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'

/** An error response, as client-go interprets it. */
export interface ClientStatus {
  readonly message: string
  readonly reason: string
  /** The seconds of Retry-After. */
  readonly retryAfterSeconds?: number
}

const REASONS = new Set(
  `Unauthorized Forbidden NotFound AlreadyExists Conflict Gone Invalid ServerTimeout StoreReadError Timeout TooManyRequests BadRequest
   MethodNotAllowed NotAcceptable RequestEntityTooLarge UnsupportedMediaType InternalError Expired ServiceUnavailable`.split(/\s+/),
)

/** Whether it is a reason of Kubernetes. */
export const isKnownReason = (reason: string): boolean => REASONS.has(reason)

interface ErrorResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The Status in the body, or the one that client-go derives from the code. */
export async function clientStatus({ status: code, headers, text }: ErrorResponse): Promise<ClientStatus> {
  const wait = /^\d{1,9}$/.test(headers['retry-after'] ?? '') ? Number(headers['retry-after']) : undefined
  const body = await jsonObject(text)
  if (body?.kind === 'Status' && typeof body.message === 'string') {
    const details = body.details as { retryAfterSeconds?: unknown } | undefined
    const seconds = typeof details?.retryAfterSeconds === 'number' ? details.retryAfterSeconds : undefined
    return {
      message: body.message,
      reason: typeof body.reason === 'string' ? body.reason : '',
      ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
    }
  }
  return {
    ...generic(code, isText(headers['content-type'] ?? '') ? text : ''),
    ...(wait === undefined || wait === 0 ? {} : { retryAfterSeconds: wait }),
  }
}

/** Only a body that is text is shown. */
const isText = (contentType: string): boolean => contentType === '' || /^\s*text\//i.test(contentType)

function generic(code: number, body: string): ClientStatus {
  switch (code) {
    case 400:
      return { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' }
    case 401:
      return { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' }
    case 403:
      return { reason: 'Forbidden', message: body === '' ? 'unknown' : body.trim() }
    case 404:
      return { reason: 'NotFound', message: 'the server could not find the requested resource' }
    case 405:
      return { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' }
    case 406:
      return { reason: 'NotAcceptable', message: body === '' ? 'unknown' : body.trim() }
    case 409:
      return { reason: 'Conflict', message: 'the server reported a conflict' }
    case 415:
      return { reason: 'UnsupportedMediaType', message: body === '' ? 'unknown' : body.trim() }
    case 422:
      return { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' }
    case 429:
      return { reason: 'TooManyRequests', message: 'the server has received too many requests and has asked us to try again later' }
    case 503:
      return { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' }
    case 504:
      return {
        reason: 'Timeout',
        message: 'the server was unable to return a response in the time allotted, but may still be processing the request',
      }
    default:
      return code >= 500
        ? {
            reason: 'InternalError',
            message: `an error on the server (${goQuote(body.trim() || 'unknown')}) has prevented the request from succeeding`,
          }
        : { reason: '', message: `the server responded with the status code ${code} but did not return more information` }
  }
}

/** The object that a response consists of; undefined when it is something else. */
export async function jsonObject(text: string): Promise<JsonObject | undefined> {
  try {
    const { value } = await decodeJsonInTurns(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
