import { isIP } from 'node:net'

/** OpenSSL's codes for a certificate whose chain does not end at a trusted authority. */
export const UNTRUSTED: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

const NO_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'])

/** Go's words for alerts of TLS that differ from OpenSSL's names. */
const ALERTS: Readonly<Record<string, string>> = { UNKNOWN_CA: 'unknown certificate authority', CERTIFICATE_EXPIRED: 'expired certificate' }

interface NetworkError extends NodeJS.ErrnoException {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  readonly host?: string
  readonly cert?: { readonly subjectaltname?: string }
  /** Of a name with several addresses: one for each. */
  readonly errors?: readonly unknown[]
}

/** The message of Go's client when no server listens. */
export const dialRefused = (at: string): string => `dial tcp ${at}: connect: connection refused`

/** The message of Go's client for a failed connection, which users of Kubernetes know. */
export function networkErrorText(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason)
  const error: NetworkError = reason
  const { code = '', address, port, hostname, errors = [] } = error
  // Prefer the error of the IPv4 address, which people know.
  if (errors.length > 0) return networkErrorText(errors.find((e) => (e as NetworkError).address?.includes('.')) ?? errors[0])
  const at = `${address !== undefined && isIP(address) === 6 ? `[${address}]` : address}:${port}`
  const notVerified = 'tls: failed to verify certificate: x509:'
  if (code === 'ECONNREFUSED') return dialRefused(at)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: no such host`
  if (isClosed(error)) return 'EOF'
  if (code === 'EHOSTUNREACH') return `dial tcp ${at}: connect: no route to host`
  if (code === 'ENETUNREACH') return `dial tcp ${at}: connect: network is unreachable`
  if (code === 'ETIMEDOUT') return `dial tcp ${at}: connect: connection timed out`
  if (UNTRUSTED.has(code)) return `${notVerified} certificate signed by unknown authority`
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return `${notVerified} certificate has expired or is not yet valid`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `${notVerified} ${wrongName(error)}`
  const [, alert] = /^ERR_SSL_(?:TLSV1|TLSV13|SSLV3|SSL\/TLS)_ALERT_(.+)$/.exec(code) ?? []
  if (alert !== undefined) return `remote error: tls: ${ALERTS[alert] ?? alert.toLowerCase().replaceAll('_', ' ')}`
  if (NO_TLS.has(code)) return 'http: server gave HTTP response to HTTPS client'
  if (code === 'HPE_HEADER_OVERFLOW') return 'net/http: server response headers exceeded limit; aborted'
  if (code.startsWith('HPE_')) return `net/http: HTTP/1.x transport connection broken: ${error.message}`
  return error.message
}

/** The other side ended the connection. */
export const isClosed = ({ code }: { readonly code?: string }) => code === 'ECONNRESET' || code === 'EPIPE'

function wrongName(error: NetworkError): string {
  const { host = '' } = error
  const names = namesIn(error)
  if (names !== '') return `certificate is valid for ${names}, not ${host}`
  if (isIP(host) > 0) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
  return `certificate is not valid for any names, but wanted to match ${host}`
}

/** The names of a certificate that are of the kind that was looked for. */
const namesIn = ({ cert, host = '' }: NetworkError) =>
  (cert?.subjectaltname ?? '')
    .split(', ')
    .filter((name) => name.startsWith('IP Address:') === isIP(host) > 0)
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .join(', ')
