import { X509Certificate } from 'node:crypto'
import { certificateBlocks } from './certificates-of.ts'

/** Go's error for a PEM bundle of authorities; undefined if it contains certificates, all of them readable. */
export function bundleFaultOf(pem: string): string | undefined {
  const blocks = certificateBlocks(pem)
  if (blocks.length === 0) return 'data does not contain any valid RSA or ECDSA certificates'
  for (const block of blocks) {
    try {
      new X509Certificate(block)
    } catch {
      return 'x509: malformed certificate'
    }
  }
  return undefined
}
