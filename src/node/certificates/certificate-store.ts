import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hasCode } from '../../base/has-code.ts'
import type { KeyedCertificate } from './signed-certificate.ts'

/**
 * Certificates in the kubelet's layout: `NAME-2026-01-02-03-04-05.pem` has the certificate and its key, and the link `NAME-current.pem`
 * leads to the newest.
 */
export class CertificateStore {
  readonly #folder: string
  readonly #name: string

  constructor(folder: string, name: 'kubelet-client' | 'kubelet-server') {
    this.#folder = folder
    this.#name = name
  }

  get currentFile(): string {
    return path.join(this.#folder, `${this.#name}-current.pem`)
  }

  /** Undefined: there is none. */
  read(): KeyedCertificate | undefined {
    try {
      return pairIn(readFileSync(this.currentFile, 'utf8'))
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    }
  }

  /** Makes it the current one, in one step. */
  write({ cert, key }: KeyedCertificate, nowMs: number): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o755 })
    const stamp = new Date(nowMs).toISOString().slice(0, 19).replace(/[T:]/g, '-')
    const file = `${this.#name}-${stamp}.pem`
    writeFileSync(path.join(this.#folder, file), cert + key, { mode: 0o600 })
    const draft = `${this.currentFile}.new`
    rmSync(draft, { force: true })
    symlinkSync(file, draft)
    renameSync(draft, this.currentFile)
  }
}

/** Pure. */
function pairIn(text: string): KeyedCertificate | undefined {
  const blocks = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n?/g) ?? []
  const key = blocks.find((block) => block.includes('PRIVATE KEY'))
  const certificates = blocks.filter((block) => block.startsWith('-----BEGIN CERTIFICATE-----'))
  return key === undefined || certificates.length === 0 ? undefined : { cert: certificates.join(''), key }
}
