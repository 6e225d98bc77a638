import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type PemBlock, pemBlocks } from '../machinery/x509/pem.ts'

/** The error of Go's `tls.X509KeyPair` for a certificate and key in PEM; undefined if they match. */
export function keyPairFault(certificate: string, key: string): string | undefined {
  const certificates = pemBlocks(certificate)
  const leaf = certificates.find((b) => b.type === 'CERTIFICATE')
  if (!leaf) return noCertificate(certificates.map((b) => b.type))
  const keys = pemBlocks(key)
  const secret = keys.find((b) => b.type === 'PRIVATE KEY' || b.type.endsWith(' PRIVATE KEY'))
  if (!secret) return noKey(keys.map((b) => b.type))
  return mismatch(leaf, secret)
}

function noCertificate(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in certificate input'
  if (skipped.length === 1 && skipped[0]?.endsWith('PRIVATE KEY'))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`
}

function noKey(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in key input'
  if (skipped.length === 1 && skipped[0] === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key'
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`
}

function mismatch(certificate: PemBlock, key: PemBlock): string | undefined {
  let parsed: X509Certificate
  try {
    parsed = new X509Certificate(certificate.text)
  } catch {
    return 'x509: malformed certificate'
  }
  try {
    const secret = createPrivateKey(key.text)
    return parsed.checkPrivateKey(secret) ? undefined : 'tls: private key does not match public key'
  } catch {
    return 'tls: failed to parse private key'
  }
}
