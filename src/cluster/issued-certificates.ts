import { createPublicKey, X509Certificate } from 'node:crypto'
import { type CertificateRequest, issueCertificate, issuerFrom, newKeyPair, subjectOf } from '../machinery/x509/certificate.ts'
import type { Subject } from '../machinery/x509/names.ts'
import { firstServiceAddress } from '../server/bootstrap/service-address.ts'

/** A certificate and its private key, both PEM. */
export interface CertifiedKey {
  readonly certificate: string
  readonly key: string
}

const DAY_MS = 86_400_000
const CA_DAYS = 3650
const LEAF_DAYS = 365
/** A leaf certificate that expires sooner is renewed. */
const RENEW_DAYS = 30
/** Tolerance for clocks of other machines that are behind. */
const BACKDATE_MS = 5 * 60_000

export function makeAuthority(commonName: string, now: number): CertifiedKey {
  const pair = newKeyPair()
  const subject = { commonName, organizations: [] }
  const request: CertificateRequest = { subject, publicKey: pair.publicKey, ...span(now, CA_DAYS), authority: true }
  // Self-signed: the issuer's name is its own, which `issuerFrom` cannot read yet.
  return { certificate: issueCertificate(request, { key: pair.privateKey, subject }), key: privatePem(pair.privateKey) }
}

/** What a leaf certificate is for. */
export type LeafRequest = Pick<CertificateRequest, 'subject' | 'usages' | 'dnsNames' | 'ipAddresses'>

export function makeLeaf(ca: CertifiedKey, now: number, what: LeafRequest): CertifiedKey {
  const pair = newKeyPair()
  const certificate = issueCertificate({ ...what, publicKey: pair.publicKey, ...span(now, LEAF_DAYS) }, issuerFrom(ca.certificate, ca.key))
  return { certificate, key: privatePem(pair.privateKey) }
}

const span = (now: number, days: number) => ({ notBefore: now - BACKDATE_MS, notAfter: now + days * DAY_MS })
export const privatePem = (key: ReturnType<typeof newKeyPair>['privateKey']) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
export const publicPem = (privateKey: string) => createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
const isIp = (host: string) => /^[\d.]+$/.test(host) || host.includes(':')

/** Names and addresses of a certificate, in its two fields. */
export const altNames = (names: readonly string[]): Pick<LeafRequest, 'dnsNames' | 'ipAddresses'> => ({
  dnsNames: names.filter((name) => !isIp(name)),
  ipAddresses: names.filter(isIp),
})

/** The names under which clients reach the server: from this machine, from pods, and the configured ones. */
export function servingNames({ serviceCidr, hosts = [] }: { readonly serviceCidr: string; readonly hosts?: readonly string[] }): string[] {
  const inCluster = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  return [...new Set(['localhost', ...inCluster, '127.0.0.1', '::1', firstServiceAddress(serviceCidr), ...hosts])]
}

/** False: the certificate is not valid for long enough any more, or lacks one of the names. */
export function stillGood(certificate: string, now: number, names: readonly string[]): boolean {
  const parsed = new X509Certificate(certificate)
  if (parsed.validToDate.getTime() < now + RENEW_DAYS * DAY_MS || parsed.validFromDate.getTime() > now) return false
  return names.every((name) => (isIp(name) ? parsed.checkIP(name) : parsed.checkHost(name)) !== undefined)
}

export function sameSubject(certificate: string, subject: Subject): boolean {
  const found = subjectOf(new X509Certificate(certificate).raw)
  const same = (a: readonly string[], b: readonly string[]) => a.toSorted().join('\n') === b.toSorted().join('\n')
  return found.commonName === subject.commonName && found.uid === subject.uid && same(found.organizations, subject.organizations)
}
