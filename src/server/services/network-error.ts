import type { PeerCertificate } from 'node:tls'
import { networkErrorText, UNTRUSTED } from '../../base/http/network-error.ts'

/** A server could not be reached, or its response was cut off; the message is that of Go's client. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly code: 'unreachable' | 'late'
  constructor(code: 'unreachable' | 'late', message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

export const lateError = (): NetworkError => new NetworkError('late', 'context deadline exceeded')

/** The message of Go's client for a network failure. */
export const goNetworkError = (error: unknown): string => (error instanceof NetworkError ? error.message : networkErrorText(error))

/** Go's message for an untrusted certificate, by OpenSSL's code. */
export function certificateError(code: string, certificate: PeerCertificate | undefined, now: number): string {
  const failed = 'tls: failed to verify certificate: x509:'
  if (UNTRUSTED.has(code) || code === 'CERT_SIGNATURE_FAILURE') return `${failed} certificate signed by unknown authority`
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const late = code === 'CERT_HAS_EXPIRED'
    const end = new Date((late ? certificate?.valid_to : certificate?.valid_from) ?? now)
    const at = (date: Date) => date.toISOString().replace(/\.\d+Z$/, 'Z')
    return `${failed} certificate has expired or is not yet valid: current time ${at(new Date(now))} is ${late ? 'after' : 'before'} ${at(end)}`
  }
  if (code === 'INVALID_PURPOSE') return `${failed} certificate specifies an incompatible key usage`
  return `${failed} ${code}`
}

/** Go's message if a certificate is not for this name, judged by its alternative names only. Undefined: it is. */
export function wrongName(host: string, certificate: Pick<PeerCertificate, 'subject' | 'subjectaltname'>): string | undefined {
  const names = alternativeNames(certificate.subjectaltname ?? '')
  if (names.some((name) => matches(name, host))) return undefined
  const failed = 'tls: failed to verify certificate: x509:'
  // `subject` may have several common names.
  const common = certificate.subject?.CN as string | string[] | undefined
  if (certificate.subjectaltname === undefined && [common].flat().some((name) => name !== undefined && matches(name, host)))
    return `${failed} certificate relies on legacy Common Name field, use SANs instead`
  if (names.length === 0) return `${failed} certificate is not valid for any names, but wanted to match ${host}`
  return `${failed} certificate is valid for ${names.join(', ')}, not ${host}`
}

const alternativeNames = (text: string): string[] =>
  text
    .split(', ')
    .filter((entry) => entry.startsWith('DNS:'))
    .map((entry) => entry.slice(4))

/** A name, or `*.` before a name: the first label is a wildcard. */
function matches(pattern: string, host: string): boolean {
  const [a, b] = [pattern.toLowerCase().replace(/\.$/, ''), host.toLowerCase().replace(/\.$/, '')]
  if (!a.startsWith('*.')) return a === b
  const dot = b.indexOf('.')
  return dot > 0 && b.slice(dot) === a.slice(1)
}
