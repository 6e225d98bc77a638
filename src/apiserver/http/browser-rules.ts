import type { Headers } from './headers.ts'

/** What browsers may do with this server. */
export interface BrowserRules {
  /** Scripts of an origin (`https://a.example`) that one of these matches may send requests and read the responses (CORS). */
  readonly allowedOrigins: readonly { test(origin: string): boolean }[]
  /** The value of the header `Strict-Transport-Security` (RFC 6797); empty: it is not sent. */
  readonly strictTransport: string
}

const CROSS_ORIGIN: Headers = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
}

/** The headers of a response to a request of this origin, and whether its scripts may read it. */
export function browserHeaders({ allowedOrigins, strictTransport }: BrowserRules, origin: string | undefined) {
  const allowed = origin !== undefined && allowedOrigins.some((pattern) => pattern.test(origin))
  const headers: Headers = {
    ...(allowed && { 'access-control-allow-origin': origin, ...CROSS_ORIGIN }),
    ...(strictTransport !== '' && { 'strict-transport-security': strictTransport }),
  }
  return { headers, allowed }
}
