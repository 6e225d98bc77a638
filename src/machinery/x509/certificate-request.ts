import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { children, DerError, type DerValue, decode, oidText } from './der.ts'
import { decodeName, type Subject } from './names.ts'
import { pemBlocks } from './pem.ts'

/** A certificate signing request (PKCS #10, RFC 2986). */
export interface CertificateSigningRequest {
  readonly subject: Subject
  readonly publicKey: KeyObject
  readonly dnsNames: readonly string[]
  readonly emailAddresses: readonly string[]
  readonly ipAddresses: readonly string[]
  readonly uris: readonly string[]
  /** True if the request is signed with its key: the requester has the private key. */
  readonly signed: boolean
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const ALTERNATIVE_NAMES = '2.5.29.17'
const PSS = '1.2.840.113549.1.1.10'
const HASHES: Readonly<Record<string, string>> = {
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
}

/** Reads the first PEM block of a request; undefined if there is none or it is malformed. */
export function readCertificateRequest(pem: string): CertificateSigningRequest | undefined {
  const block = pemBlocks(pem).find(({ type }) => type === 'CERTIFICATE REQUEST' || type === 'NEW CERTIFICATE REQUEST')
  if (block === undefined) return undefined
  try {
    return parse(Buffer.from(block.body, 'base64'))
  } catch {
    // Unknown key types make node:crypto throw; such a request is treated as malformed.
    return undefined
  }
}

function parse(der: Buffer): CertificateSigningRequest {
  const [info, algorithm, signature] = children(decode(der))
  if (info === undefined || algorithm === undefined || signature === undefined) throw new DerError('a request has three parts')
  const [, subject, spki, attributes] = children(info)
  if (subject === undefined || spki === undefined) throw new DerError('a request names a subject and a key')
  const publicKey = createPublicKey({ key: spki.raw, type: 'spki', format: 'der' })
  const names = attributes === undefined ? [] : alternativeNames(attributes)
  const texts = (tag: number) => names.filter((n) => n.tag === tag).map((n) => n.content.toString())
  return {
    subject: decodeName(subject),
    publicKey,
    dnsNames: texts(0x82),
    emailAddresses: texts(0x81),
    uris: texts(0x86),
    ipAddresses: names.filter((n) => n.tag === 0x87).map((n) => ipText(n.content)),
    signed: isSigned(info.raw, algorithm, signature.content.subarray(1), publicKey),
  }
}

function isSigned(body: Buffer, algorithm: DerValue, signature: Buffer, key: KeyObject): boolean {
  const id = children(algorithm)[0]
  const name = id === undefined ? '' : oidText(id)
  if (key.asymmetricKeyType === 'ed25519') return verify(null, body, key, signature)
  if (name === PSS)
    return ['sha256', 'sha384', 'sha512'].some((hash) => verify(hash, body, { key, padding: constants.RSA_PKCS1_PSS_PADDING }, signature))
  const hash = HASHES[name]
  return hash !== undefined && verify(hash, body, key, signature)
}

function alternativeNames(attributes: DerValue): DerValue[] {
  for (const attribute of children(attributes)) {
    const [type, values] = children(attribute)
    if (type === undefined || values === undefined || oidText(type) !== EXTENSION_REQUEST) continue
    for (const extension of children(values).flatMap(children)) {
      const parts = children(extension)
      const value = parts.at(-1)
      if (parts[0] !== undefined && value !== undefined && oidText(parts[0]) === ALTERNATIVE_NAMES) return children(decode(value.content))
    }
  }
  return []
}

function ipText(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.')
  const groups: string[] = []
  for (let i = 0; i + 1 < bytes.length; i += 2) groups.push(bytes.readUInt16BE(i).toString(16))
  return groups.join(':')
}
