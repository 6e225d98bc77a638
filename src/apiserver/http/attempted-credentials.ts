import type { HttpRequest } from './http-request.ts'

const BASIC = /^basic (.*)$/i
const BEARER = /^bearer /i

/** What the audit log says of a request that failed authentication: the kinds of credentials that it had. */
export function attemptedCredentials({ headers, query }: Pick<HttpRequest, 'headers' | 'query'>, hasCertificate: boolean): string {
  const { authorization = '' } = headers
  const kinds = [
    ...(isBasic(authorization) ? ['basic'] : []),
    ...(BEARER.test(authorization.trim()) ? ['bearer'] : []),
    ...((query.get('access_token') ?? '').trim() !== '' ? ['access_token'] : []),
    ...(hasCertificate ? ['x509'] : []),
  ]
  return kinds.length === 0 ? 'Authentication failed, no credentials provided' : `Authentication failed, attempted: ${kinds.join(', ')}`
}

/** A name and a password, separated by a colon, in base64. */
function isBasic(authorization: string): boolean {
  const encoded = BASIC.exec(authorization)?.[1]
  return encoded !== undefined && Buffer.from(encoded, 'base64').includes(':')
}
