import { X509Certificate } from 'node:crypto'
import { pemBlocks } from './pem.ts'

/** The certificates of a PEM text, as text. */
export const certificateBlocks = (pem: string): string[] =>
  pemBlocks(pem).flatMap(({ type, text }) => (type === 'CERTIFICATE' ? [text] : []))

/** The certificates of a PEM text. */
export const certificatesOf = (pem: string): X509Certificate[] => certificateBlocks(pem).map((text) => new X509Certificate(text))
