import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueCertificate, newKeyPair, pem } from '../machinery/x509/certificate.ts'
import { keyPairFault } from './key-pair.ts'

const own = newKeyPair()
const other = newKeyPair()
const subject = { commonName: 'a', organizations: [] }
const certificate = issueCertificate(
  { subject, publicKey: own.publicKey, notBefore: 0, notAfter: Date.UTC(2100, 0, 1) },
  { key: own.privateKey, subject },
)
const keyOf = ({ privateKey }: typeof own, type: 'pkcs8' | 'sec1' = 'pkcs8') => privateKey.export({ type, format: 'pem' }).toString()
const key = keyOf(own)
const block = (type: string) => pem(type, Buffer.from('x'))

/** A certificate and a key, and what Go's `tls.X509KeyPair` says of them. */
const PAIRS: readonly (readonly [rule: string, certificate: string, key: string, fault: string | undefined])[] = [
  ['they belong together', certificate, key, undefined],
  ['a key of another format', certificate, keyOf(own, 'sec1'), undefined],
  ['other blocks before them', block('A') + certificate, block('B') + key, undefined],
  ['a key of another pair', certificate, keyOf(other), 'tls: private key does not match public key'],
  ['no PEM as certificate', 'x', key, 'tls: failed to find any PEM data in certificate input'],
  [
    'a key as certificate',
    key,
    key,
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  ],
  [
    'two other blocks as certificate',
    block('A') + block('X PRIVATE KEY'),
    key,
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A X PRIVATE KEY]',
  ],
  [
    'another block as certificate',
    block('A'),
    key,
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A]',
  ],
  ['no PEM as key', certificate, 'x', 'tls: failed to find any PEM data in key input'],
  ['a certificate as key', certificate, certificate, 'tls: found a certificate rather than a key in the PEM for the private key'],
  [
    'other blocks as key',
    certificate,
    certificate + block('A'),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [CERTIFICATE A]',
  ],
  ['a certificate that is broken', block('CERTIFICATE'), key, 'x509: malformed certificate'],
  ['a key that is broken', certificate, block('PRIVATE KEY'), 'tls: failed to parse private key'],
]
for (const [rule, first, second, fault] of PAIRS) test(`a key pair: ${rule}`, () => assert.equal(keyPairFault(first, second), fault))
