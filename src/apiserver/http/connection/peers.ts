import { createHash, type X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { subjectOf } from '../../../machinery/x509/certificate.ts'
import { certificatesOf } from '../../../machinery/x509/certificates-of.ts'
import type { PeerCertificate } from '../../identity/authenticator.ts'

/** What the other end of a connection proved. */
export type Peer =
  | { readonly kind: 'none' }
  /** It brought a certificate that proves nothing: of another authority, for another use, not yet or no longer valid. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'proven'; readonly certificate: PeerCertificate }

export interface Peers {
  /** Takes who is at the other end of this stream for a front proxy: it was made inside the process, brings no certificate, and needs none. */
  trust(stream: object): void
  /** At this moment: a certificate may end while its connection lasts. */
  of(socket: TLSSocket | undefined, now: number): Peer
  /** Other authorities vouch from now on: whom only an older one knew is nobody's, also on connections that stand. */
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
/** How long a chain may be. */
const MOST_LINKS = 10
/** Certificates whose authority is remembered: a resumed session brings the certificate without its chain. */
const REMEMBERED = 4096

/** Reads client certificates by the authorities (PEM texts) that TLS verified them with. */
export function createPeers(trusted: TrustedAuthorities): Peers {
  let authorities = authoritiesOf(trusted)
  let bySocket = new WeakMap<TLSSocket, Known>()
  const byFingerprint = new Map<string, 'client' | 'front-proxy'>()

  /** Who vouches for the certificate; undefined when its chain does not say. */
  const authorityOf = (leaf: X509Certificate): 'client' | 'front-proxy' | undefined => {
    let link: X509Certificate | undefined = leaf
    for (let i = 0; link !== undefined && i < MOST_LINKS; i++) {
      const current: X509Certificate = link
      const found = authorities.find(({ certificate }) => isOrIssued(certificate, current))
      if (found !== undefined) return found.authority
      link = current.issuerCertificate
    }
    return undefined
  }

  /** OpenSSL wants the purpose in so many words; Go also takes a certificate that names none, or any. */
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
    // The printed subject escapes what a name may hold (commas, letters beyond ASCII); its bytes do not.
    const subject = subjectOf(certificate.raw)
    const fingerprint = createHash('sha256').update(certificate.raw).digest('hex')
    const authority = authorityOf(certificate) ?? byFingerprint.get(fingerprint)
    if (authority === undefined || subject.uid === '') return { peer: WRONG, validFrom, validTo }
    if (byFingerprint.size >= REMEMBERED) byFingerprint.clear()
    byFingerprint.set(fingerprint, authority)
    return { peer: { kind: 'proven', certificate: { ...subject, fingerprint, authority } }, validFrom, validTo }
  }

  const trustedStreams = new WeakSet<object>()
  return {
    renew(now) {
      authorities = authoritiesOf(now)
      bySocket = new WeakMap()
      byFingerprint.clear()
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

/** Of extended key usages. */
const ANY_USE = '2.5.29.37.0'

const isIssued = (authority: X509Certificate, certificate: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey)

const authoritiesOf = ({ clientCa, frontProxyCa = '' }: TrustedAuthorities) => [
  ...certificatesOf(clientCa).map((certificate) => ({ certificate, authority: 'client' as const })),
  ...certificatesOf(frontProxyCa).map((certificate) => ({ certificate, authority: 'front-proxy' as const })),
]

const isOrIssued = (authority: X509Certificate, certificate: X509Certificate): boolean =>
  authority.fingerprint256 === certificate.fingerprint256 || isIssued(authority, certificate)
