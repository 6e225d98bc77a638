import { X509Certificate } from 'node:crypto'
import { certificateBlocks } from './certificates-of.ts'

/** What Go says of a PEM text that is to hold certificates of authorities; undefined when it holds some, and all of them can be read. */
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
