import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { bitString, boolean, children, type DerValue, decode, encode, explicit, integer, octetString, oid, sequence, time } from './der.ts'
import { decodeName, encodeName, type Subject } from './names.ts'

type ExtendedUsage = 'server' | 'client' | 'any'
export type KeyUsage = 'digital signature' | 'key encipherment'

/** The content of a certificate. */
export interface CertificateRequest {
  readonly subject: Subject
  readonly publicKey: KeyObject
  readonly notBefore: number
  readonly notAfter: number
  /** A certificate authority; it may issue others. */
  readonly authority?: boolean
  readonly usages?: readonly ExtendedUsage[]
  /** What the key may be used for; undefined: both. */
  readonly keyUsages?: readonly KeyUsage[]
  readonly dnsNames?: readonly string[]
  readonly emailAddresses?: readonly string[]
  readonly ipAddresses?: readonly string[]
  readonly uris?: readonly string[]
}

/** The issuer: its private key (ECDSA P-256), and its name as bytes of its certificate, or as a subject if it signs itself. */
export type Issuer = { readonly key: KeyObject } & ({ readonly name: Uint8Array } | { readonly subject: Subject })

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const USAGE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2', any: '2.5.29.37.0' } as const

/** Issues a certificate in PEM. The serial number is derived from the content, so no randomness is needed. */
export function issueCertificate(request: CertificateRequest, issuer: Issuer): string {
  const spki = request.publicKey.export({ type: 'spki', format: 'der' })
  const subject = encodeName(request.subject)
  const serial = createHash('sha256').update(spki).update(subject).update(String(request.notBefore)).digest().subarray(0, 16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_SHA256,
    'name' in issuer ? issuer.name : encodeName(issuer.subject),
    sequence(time(request.notBefore), time(request.notAfter)),
    subject,
    spki,
    explicit(3, sequence(...extensions(request, keyId(spki), keyId(publicDer(issuer.key))))),
  )
  const signature = sign('sha256', body, { key: issuer.key, dsaEncoding: 'der' })
  return pem('CERTIFICATE', sequence(body, ECDSA_SHA256, bitString(signature)))
}

function extensions(request: CertificateRequest, subjectKey: Buffer, authorityKey: Buffer): Buffer[] {
  const extension = (id: string, critical: boolean, value: Buffer) =>
    sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value))
  const authority = request.authority === true
  const keyUsage = keyUsageBits(request.keyUsages ?? ['digital signature', 'key encipherment'], authority)
  const found = [
    ...(keyUsage === undefined ? [] : [extension('2.5.29.15', true, keyUsage)]),
    extension('2.5.29.19', true, authority ? sequence(boolean(true)) : sequence()),
    extension('2.5.29.14', false, octetString(subjectKey)),
    extension('2.5.29.35', false, sequence(encode(0x80, authorityKey))),
  ]
  if (request.usages !== undefined) found.push(extension('2.5.29.37', false, sequence(...request.usages.map((u) => oid(USAGE[u])))))
  const names = subjectNames(request)
  if (names.length > 0)
    found.push(extension('2.5.29.17', request.subject.commonName === '' && request.subject.organizations.length === 0, sequence(...names)))
  return found
}

/** Bits of KeyUsage: digitalSignature 0, keyEncipherment 2, keyCertSign 5; without zeros at the end. */
function keyUsageBits(usages: readonly KeyUsage[], authority: boolean): Buffer | undefined {
  const bits = [usages.includes('digital signature') && 0, usages.includes('key encipherment') && 2, authority && 5].filter(
    (b) => b !== false,
  )
  const last = bits.at(-1)
  if (last === undefined) return undefined
  return bitString(Buffer.from([bits.reduce((byte, bit) => byte | (0x80 >> bit), 0)]), 7 - last)
}

type Names = Pick<CertificateRequest, 'dnsNames' | 'emailAddresses' | 'ipAddresses' | 'uris'>

/** The alternative names of a subject. */
export const subjectNames = ({ dnsNames = [], emailAddresses = [], ipAddresses = [], uris = [] }: Names): Buffer[] => [
  ...dnsNames.map((n) => encode(0x82, Buffer.from(n))),
  ...emailAddresses.map((a) => encode(0x81, Buffer.from(a))),
  ...ipAddresses.map((a) => encode(0x87, ipBytes(a))),
  ...uris.map((u) => encode(0x86, Buffer.from(u))),
]

/** RFC 5280's first method: the SHA-1 of the public key's bits. */
const keyId = (spki: Buffer) => {
  const bits = children(decode(spki))[1]?.content.subarray(1) ?? spki
  return createHash('sha1').update(bits).digest()
}

const publicDer = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' })

/** A new ECDSA P-256 key pair: about 0.1 ms, where RSA takes 50. */
export function newKeyPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** The issuer of a CA's PEM certificate and key. */
export function issuerFrom(certificate: string, key: string): Issuer {
  const parts = tbsOf(new X509Certificate(certificate).raw)
  return { key: createPrivateKey(key), name: parts.subject.raw }
}

/** The subject of a certificate. */
export function subjectOf(raw: Buffer): Subject {
  return decodeName(tbsOf(raw).subject)
}

function tbsOf(raw: Buffer): { readonly subject: DerValue } {
  const body = children(decode(raw))[0]
  const fields = body === undefined ? [] : children(body)
  // version [0] serial signature issuer validity subject spki; the version is absent in version 1.
  const subject = fields[fields[0]?.tag === 0xa0 ? 5 : 4]
  if (subject === undefined) throw new Error('invariant: a parsed certificate has a subject')
  return { subject }
}

/** `a.b.c.d` or IPv6 text as network bytes. */
function ipBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((g) => Number.parseInt(g, 16)))
  const left = groups(head)
  const right = tail === undefined ? [] : groups(tail)
  const all = tail === undefined ? left : [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right]
  return Buffer.from(all.flatMap((g) => [g >> 8, g & 0xff]))
}

/** PEM armour. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
