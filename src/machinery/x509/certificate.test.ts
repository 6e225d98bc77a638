import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { bundleFaultOf } from './bundle-fault.ts'
import { type CertificateRequest, issueCertificate, issuerFrom, newKeyPair, pem, subjectOf } from './certificate.ts'
import { readCertificateRequest } from './certificate-request.ts'
import { bitString, type DerValue, decode, encode, explicit, integer, octetString, oid, sequence, set, utf8 } from './der.ts'
import { decodeName, encodeName, type Subject } from './names.ts'

const FROM = Date.UTC(2026, 0, 1)
const UNTIL = Date.UTC(2027, 0, 1)
const own = newKeyPair()
const root = newKeyPair()
const CA: Subject = { commonName: 'ca', organizations: [] }
const authority = issueCertificate(
  { subject: CA, publicKey: root.publicKey, notBefore: FROM, notAfter: UNTIL, authority: true },
  { key: root.privateKey, subject: CA },
)
const rootKey = root.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const issue = (request: Partial<CertificateRequest>) =>
  new X509Certificate(
    issueCertificate(
      { subject: { commonName: 'a', organizations: ['g'] }, publicKey: own.publicKey, notBefore: FROM, notAfter: UNTIL, ...request },
      issuerFrom(authority, rootKey),
    ),
  )

test('an authority certifies itself', () => {
  const certificate = new X509Certificate(authority)
  assert.ok(certificate.ca)
  assert.ok(certificate.verify(root.publicKey))
  assert.ok(certificate.checkIssued(certificate))
  assert.equal(certificate.subject, 'CN=ca')
})

test('OpenSSL reads a certificate as requested', () => {
  const certificate = issue({
    usages: ['server', 'client'],
    dnsNames: ['a.b', '*.c'],
    ipAddresses: ['10.0.0.1', 'fd00::1', '::', '1:2:3:4:5:6:7:8'],
  })
  assert.deepEqual(
    {
      subject: certificate.subject,
      issuer: certificate.issuer,
      from: Date.parse(certificate.validFrom),
      until: Date.parse(certificate.validTo),
      ca: certificate.ca,
      usages: certificate.keyUsage,
      names: certificate.subjectAltName,
    },
    {
      subject: 'O=g\nCN=a',
      issuer: 'CN=ca',
      from: FROM,
      until: UNTIL,
      ca: false,
      usages: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'],
      names: 'DNS:a.b, DNS:*.c, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, IP Address:0:0:0:0:0:0:0:0, IP Address:1:2:3:4:5:6:7:8',
    },
  )
  assert.ok(certificate.verify(root.publicKey))
  assert.ok(certificate.checkIssued(new X509Certificate(authority)))
  assert.ok(certificate.checkPrivateKey(own.privateKey))
})

test('a certificate says what its key is for, and has all names that were asked for', () => {
  const subject = { commonName: 'a', organizations: ['g'], others: { '2.5.4.11': ['x', 'w'], '2.5.4.7': ['here'] } }
  const certificate = issue({
    subject,
    dnsNames: ['d'],
    emailAddresses: ['x@y.z'],
    ipAddresses: ['10.0.0.1'],
    uris: ['spiffe://x'],
    keyUsages: [],
  })
  assert.equal(certificate.subject, 'O=g\nOU=w + OU=x\nL=here\nCN=a')
  assert.equal(certificate.subjectAltName, 'DNS:d, email:x@y.z, IP Address:10.0.0.1, URI:spiffe://x')
  const keyUsage = (request: Partial<CertificateRequest>, bits: string) =>
    issue(request).raw.includes(Buffer.concat([oid('2.5.29.15'), Buffer.from(`0101ff0404${bits}`, 'hex')]))
  assert.ok(keyUsage({}, '030205a0'))
  assert.ok(keyUsage({ keyUsages: ['digital signature'] }, '03020780'))
  assert.ok(keyUsage({ authority: true }, '030202a4'))
  assert.ok(!certificate.raw.includes(oid('2.5.29.15')))
})

test('a certificate without usages and names has no extension for them', () => {
  const certificate = issue({})
  assert.deepEqual([certificate.keyUsage, certificate.subjectAltName], [undefined, undefined])
})

test('the serial number is positive, and follows from key, subject and start', () => {
  const serial = (request: Partial<CertificateRequest>) => issue(request).serialNumber
  assert.equal(serial({}), serial({ notAfter: UNTIL + 1000 }))
  assert.notEqual(serial({}), serial({ notBefore: FROM + 1 }))
  assert.notEqual(serial({}), serial({ publicKey: root.publicKey }))
  for (let i = 0; i < 20; i++) assert.match(serial({ notBefore: FROM + i }), /^[4-7][0-9A-F]{31}$/)
})

test('names are critical only where the subject is empty', () => {
  const NAMES = oid('2.5.29.17')
  const critical = Buffer.concat([NAMES, Buffer.from([1, 1, 0xff])])
  const has = (bytes: Buffer, subject: Subject) => issue({ subject, dnsNames: ['a.b'] }).raw.includes(bytes)
  assert.ok(has(critical, { commonName: '', organizations: [] }))
  for (const subject of [
    { commonName: 'a', organizations: [] },
    { commonName: '', organizations: ['g'] },
  ]) {
    assert.ok(has(NAMES, subject))
    assert.ok(!has(critical, subject))
  }
})

const SUBJECTS: readonly (readonly [subject: Subject, text: string | undefined])[] = [
  [{ commonName: 'system:node:a', organizations: ['system:nodes'] }, 'O=system:nodes\nCN=system:node:a'],
  [{ commonName: '', organizations: [] }, ''],
  [{ commonName: 'a', organizations: ['b', 'c'], uid: 'u' }, undefined],
]
for (const [subject, text] of SUBJECTS)
  test(`the subject ${JSON.stringify(subject)} is read as it is written`, () => {
    const certificate = issue({ subject })
    assert.deepEqual(subjectOf(certificate.raw), subject)
    assert.deepEqual(decodeName(decode(encodeName(subject))), subject)
    if (text !== undefined) assert.equal(certificate.subject ?? '', text)
  })

const attribute = (id: string, value: string) => set(sequence(oid(id), utf8(value)))
const UID = '1.3.6.1.4.1.57683.2'
/** Names as others write them. */
const NAMES: readonly (readonly [rule: string, name: DerValue, subject: Subject])[] = [
  [
    'the last common name counts',
    decode(sequence(attribute('2.5.4.3', 'a'), attribute('2.5.4.3', 'b'))),
    { commonName: 'b', organizations: [] },
  ],
  [
    'other attributes that Go knows are kept apart',
    decode(sequence(attribute('2.5.4.6', 'DE'), attribute('2.5.4.10', 'g'))),
    { commonName: '', organizations: ['g'], others: { '2.5.4.6': ['DE'] } },
  ],
  ['several uids are none', decode(sequence(attribute(UID, 'a'), attribute(UID, 'b'))), { commonName: '', organizations: [], uid: '' }],
  ['an attribute without a value', decode(sequence(set(sequence(oid('2.5.4.3'))))), { commonName: '', organizations: [] }],
]
for (const [rule, name, subject] of NAMES) test(`a name: ${rule}`, () => assert.deepEqual(decodeName(name), subject))

test('organizations are written in the order of their bytes, in one set', () => {
  const written = encodeName({ commonName: '', organizations: ['b', 'a'] })
  const one = (value: string) => sequence(oid('2.5.4.10'), utf8(value))
  assert.deepEqual(written, sequence(encode(0x31, one('a'), one('b'))))
})

test('a PEM block has lines of 64 letters', () =>
  assert.equal(pem('A', Buffer.alloc(50)), `-----BEGIN A-----\n${'A'.repeat(64)}\nAAA=\n-----END A-----\n`))

// Requests for certificates.
const ALTERNATIVE_NAMES = '2.5.29.17'
const ECDSA = '1.2.840.10045.4.3.'

interface Request {
  readonly key?: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  readonly attributes?: readonly Buffer[]
  readonly algorithm?: string
  readonly hash?: string | null
  readonly label?: string
  readonly signed?: Buffer
}
function requestOf({
  key = own,
  attributes = [],
  algorithm = `${ECDSA}2`,
  hash = 'sha256',
  label = 'CERTIFICATE REQUEST',
  signed,
}: Request): string {
  const spki = key.publicKey.export({ type: 'spki', format: 'der' })
  const info = sequence(integer(Buffer.from([0])), encodeName({ commonName: 'a', organizations: ['g'] }), spki, encode(0xa0, ...attributes))
  const signature = sign(hash, signed ?? info, key.privateKey)
  return pem(label, sequence(info, sequence(oid(algorithm)), bitString(signature)))
}
const extensionRequest = (...extensions: readonly Buffer[]) => sequence(oid('1.2.840.113549.1.9.14'), set(sequence(...extensions)))
const names = (...content: readonly Buffer[]) => sequence(oid(ALTERNATIVE_NAMES), octetString(sequence(...content)))
const all = names(
  encode(0x82, Buffer.from('a.b')),
  encode(0x81, Buffer.from('a@b')),
  encode(0x86, Buffer.from('spiffe://a')),
  encode(0x87, Buffer.from([10, 0, 0, 1])),
  encode(0x87, Buffer.from('fd000000000000000000000000000001', 'hex')),
)

test('a certificate request yields its subject, its names and the validity of its signature', () => {
  const { publicKey, ...read } = readCertificateRequest(requestOf({ attributes: [extensionRequest(all)] })) ?? assert.fail()
  assert.ok(publicKey.equals(own.publicKey))
  assert.deepEqual(read, {
    subject: { commonName: 'a', organizations: ['g'] },
    dnsNames: ['a.b'],
    emailAddresses: ['a@b'],
    uris: ['spiffe://a'],
    ipAddresses: ['10.0.0.1', 'fd00:0:0:0:0:0:0:1'],
    signed: true,
  })
})

const challenge = sequence(oid('1.2.840.113549.1.9.7'), set(utf8('secret')))
const usage = sequence(oid('2.5.29.15'), explicit(0))
const dnsNames = (request: Request) => readCertificateRequest(requestOf(request))?.dnsNames
test('names are found behind other attributes and extensions', () => {
  assert.deepEqual(dnsNames({ attributes: [challenge, extensionRequest(usage, all)] }), ['a.b'])
  assert.deepEqual(dnsNames({ attributes: [sequence(), challenge] }), [])
  assert.deepEqual(dnsNames({ attributes: [extensionRequest(sequence(), usage)] }), [])
  assert.deepEqual(dnsNames({}), [])
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed25519 = generateKeyPairSync('ed25519')
const RSA = '1.2.840.113549.1.1.'
/** Requests, and whether their signature is good. */
const SIGNED: readonly (readonly [rule: string, request: Request, signed: boolean])[] = [
  ['ECDSA with SHA-384', { algorithm: `${ECDSA}3`, hash: 'sha384' }, true],
  ['ECDSA with SHA-512', { algorithm: `${ECDSA}4`, hash: 'sha512' }, true],
  ['RSA with SHA-256', { key: rsa, algorithm: `${RSA}11` }, true],
  ['RSA with SHA-384', { key: rsa, algorithm: `${RSA}12`, hash: 'sha384' }, true],
  ['RSA with SHA-512', { key: rsa, algorithm: `${RSA}13`, hash: 'sha512' }, true],
  ['Ed25519', { key: ed25519, algorithm: '1.3.101.112', hash: null }, true],
  ['another hash than it names', { hash: 'sha384' }, false],
  ['an unknown algorithm', { algorithm: '1.2.3' }, false],
  ['a signature of something else', { signed: Buffer.from('x') }, false],
  ['an Ed25519 signature of something else', { key: ed25519, algorithm: '1.3.101.112', hash: null, signed: Buffer.from('x') }, false],
]
for (const [rule, request, signed] of SIGNED)
  test(`a request's signature: ${rule}`, () => assert.equal(readCertificateRequest(requestOf(request))?.signed, signed))

const UNREADABLE: readonly (readonly [rule: string, text: string])[] = [
  ['no PEM', 'a'],
  ['a certificate', requestOf({ label: 'CERTIFICATE' })],
  ['broken DER', pem('CERTIFICATE REQUEST', Buffer.from([0x30, 0x05]))],
  ['two parts', pem('CERTIFICATE REQUEST', sequence(sequence(), sequence()))],
  [
    'no key',
    pem('CERTIFICATE REQUEST', sequence(sequence(integer(Buffer.from([0])), sequence()), sequence(), bitString(Buffer.from([1])))),
  ],
  [
    'a key of no sort',
    pem(
      'CERTIFICATE REQUEST',
      sequence(sequence(integer(Buffer.from([0])), sequence(), sequence(oid('1.2.3'))), sequence(), bitString(Buffer.from([1]))),
    ),
  ],
]
for (const [rule, text] of UNREADABLE) test(`no request: ${rule}`, () => assert.equal(readCertificateRequest(text), undefined))

test('the older label of requests is read too', () =>
  assert.equal(readCertificateRequest(requestOf({ label: 'NEW CERTIFICATE REQUEST' }))?.signed, true))

const BUNDLES: readonly (readonly [text: string, fault: string | undefined])[] = [
  [authority, undefined],
  [authority + issue({}).toString(), undefined],
  ['', 'data does not contain any valid RSA or ECDSA certificates'],
  [rootKey, 'data does not contain any valid RSA or ECDSA certificates'],
  [authority + pem('CERTIFICATE', sequence()), 'x509: malformed certificate'],
]
for (const [i, [text, fault]] of BUNDLES.entries()) test(`bundle ${i}: ${fault ?? 'sound'}`, () => assert.equal(bundleFaultOf(text), fault))
