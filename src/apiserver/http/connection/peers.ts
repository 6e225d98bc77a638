import { createHash, type X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { LruMap } from '../../../base/collections/lru-map.ts'
import { subjectOf } from '../../../machinery/x509/certificate.ts'
import { certificatesOf } from '../../../machinery/x509/certificates-of.ts'
import type { CertificateAuthority, PeerCertificate } from '../../identity/authenticator.ts'

/** The identity that the client certificate of a connection proves. */
export type Peer =
  | { readonly kind: 'none' }
  /** The certificate proves nothing: it has another authority or purpose, or is not valid now. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'proven'; readonly certificate: PeerCertificate }

export interface Peers {
  /** Trusts the client of this stream as a front proxy: the stream was made inside the process and needs no certificate. */
  trust(stream: object): void
  /** The peer at this time: a certificate may expire while its connection lasts. */
  of(socket: TLSSocket | undefined, now: number): Peer
  /** Replaces the trusted authorities: certificates of removed ones prove nothing any more, also on open connections. */
  renew(trusted: TrustedAuthorities): void
}

interface TrustedAuthorities {
  readonly clientCa: string
  readonly frontProxyCa?: string
}

interface Known {
  readonly peer: Peer
  readonly validFrom: number
  readonly validTo: number
}

const LOCAL: Peer = {
  kind: 'proven',
  certificate: { commonName: '', organizations: [], fingerprint: '', authority: 'front-proxy' },
}
const NONE: Known = { peer: { kind: 'none' }, validFrom: 0, validTo: Number.POSITIVE_INFINITY }
const WRONG: Peer = { kind: 'wrong' }
/** Longest certificate chain. */
const MOST_LINKS = 10
/** Most certificates whose authority is cached: a resumed session has the certificate without its chain. */
const REMEMBERED = 4096

/** Identifies clients by the authorities (PEM) with which TLS verified their certificates. */
export function createPeers(trusted: TrustedAuthorities): Peers {
  let authorities = authoritiesOf(trusted)
  let bySocket = new WeakMap<TLSSocket, Known>()
  let byFingerprint = new LruMap<string, CertificateAuthority>(REMEMBERED)

  /** The authority of the certificate; undefined if its chain is not available. */
  const authorityOf = (leaf: X509Certificate): CertificateAuthority | undefined => {
    const found = new Set<CertificateAuthority>()
    let link: X509Certificate | undefined = leaf
    for (let i = 0; link !== undefined && i < MOST_LINKS; i++) {
      const current: X509Certificate = link
      for (const { certificate, authority } of authorities) if (isOrIssued(certificate, current)) found.add(authority)
      // The last one of a chain has issued itself.
      link = current.issuerCertificate?.fingerprint256 === current.fingerprint256 ? undefined : current.issuerCertificate
    }
    return found.size > 1 ? 'both' : found.values().next().value
  }

  /** OpenSSL requires the client purpose; Go also accepts a certificate with no purpose, or any. */
  const isForAnyUse = (socket: TLSSocket, leaf: X509Certificate): boolean => {
    if (String(socket.authorizationError) !== 'INVALID_PURPOSE') return false
    const uses = leaf.keyUsage ?? []
    if (uses.length > 0 && !uses.includes(ANY_USE)) return false
    return authorities.some(({ certificate }) => isIssued(certificate, leaf))
  }

  const look = (socket: TLSSocket): Known => {
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return NONE
    const validFrom = Date.parse(certificate.validFrom)
    const validTo = Date.parse(certificate.validTo)
    if (!socket.authorized && !isForAnyUse(socket, certificate)) return { peer: WRONG, validFrom, validTo }
    // The printed subject escapes some characters (commas, non-ASCII); the DER bytes do not.
    const subject = subjectOf(certificate.raw)
    const fingerprint = createHash('sha256').update(certificate.raw).digest('hex')
    const authority = authorityOf(certificate) ?? byFingerprint.get(fingerprint)
    if (authority === undefined || subject.uid === '') return { peer: WRONG, validFrom, validTo }
    byFingerprint.set(fingerprint, authority)
    return { peer: { kind: 'proven', certificate: { ...subject, fingerprint, validTo, authority } }, validFrom, validTo }
  }

  const trustedStreams = new WeakSet<object>()
  return {
    renew(now) {
      authorities = authoritiesOf(now)
      bySocket = new WeakMap()
      byFingerprint = new LruMap(REMEMBERED)
    },
    trust: (stream) => void trustedStreams.add(stream),
    of(socket, now) {
      if (socket === undefined) return NONE.peer
      if (trustedStreams.has(socket)) return LOCAL
      let known = bySocket.get(socket)
      if (known === undefined) {
        known = look(socket)
        bySocket.set(socket, known)
      }
      return now >= known.validFrom && now <= known.validTo ? known.peer : WRONG
    },
  }
}

/** OID of the extended key usage `anyExtendedKeyUsage`. */
const ANY_USE = '2.5.29.37.0'

const isIssued = (authority: X509Certificate, certificate: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey)

const authoritiesOf = ({ clientCa, frontProxyCa = '' }: TrustedAuthorities) => [
  ...certificatesOf(clientCa).map((certificate) => ({ certificate, authority: 'client' as const })),
  ...certificatesOf(frontProxyCa).map((certificate) => ({ certificate, authority: 'front-proxy' as const })),
]

const isOrIssued = (authority: X509Certificate, certificate: X509Certificate): boolean =>
  authority.fingerprint256 === certificate.fingerprint256 || isIssued(authority, certificate)
