import { X509Certificate } from 'node:crypto'
import type { LiveText } from '../../base/live-text.ts'
import { optionFile } from './files.ts'
import { OptionsError } from './options-error.ts'

/** The certificates of authorities in a file, of which there must be one at least; `purpose` is what kube-apiserver calls the bundle. */
export function caBundle(purpose: string, file: string): LiveText {
  const text = optionFile(file)
  const blocks = text.current().match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const failed = (why: string, cause?: unknown) =>
    new OptionsError('bad-file', `error loading CA bundle for "${purpose}::${file}": ${why}`, { cause })
  if (blocks.length === 0) throw failed('data does not contain any valid RSA or ECDSA certificates')
  for (const block of blocks) {
    try {
      new X509Certificate(block)
    } catch (cause) {
      throw failed(cause instanceof Error ? cause.message : String(cause), cause)
    }
  }
  return text
}
