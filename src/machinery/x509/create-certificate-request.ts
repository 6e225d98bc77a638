import { type KeyObject, sign } from 'node:crypto'
import { pem, subjectNames } from './certificate.ts'
import { bitString, encode, integer, octetString, oid, sequence, set } from './der.ts'
import { encodeName, type Subject } from './names.ts'

/** What a requester wants a certificate for. */
export interface WantedCertificate {
  readonly subject: Subject
  readonly dnsNames?: readonly string[]
  readonly ipAddresses?: readonly string[]
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const ALTERNATIVE_NAMES = '2.5.29.17'

/** A certificate signing request (PKCS #10, RFC 2986) in PEM, signed by its key (ECDSA P-256). */
export function createCertificateRequest(
  wanted: WantedCertificate,
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
): string {
  const names = subjectNames(wanted)
  const extension = sequence(sequence(oid(ALTERNATIVE_NAMES), octetString(sequence(...names))))
  const attributes = names.length === 0 ? [] : [sequence(oid(EXTENSION_REQUEST), set(extension))]
  const body = sequence(
    integer(Buffer.from([0])),
    encodeName(wanted.subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    encode(0xa0, ...attributes),
  )
  const signature = sign('sha256', body, { key: privateKey, dsaEncoding: 'der' })
  return pem('CERTIFICATE REQUEST', sequence(body, ECDSA_SHA256, bitString(signature)))
}
