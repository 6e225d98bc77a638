import { issueCertificate, newKeyPair } from './certificate.ts'

const issue = (commonName: string, isAuthority: boolean): string => {
  const { publicKey, privateKey } = newKeyPair()
  const subject = { commonName, organizations: [] }
  const lifetime = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2027, 0, 1) }
  return issueCertificate({ subject, publicKey, ...lifetime, authority: isAuthority }, { key: privateKey, subject })
}

/** The certificate of a new authority, PEM. */
export const authority = (name: string): string => issue(name, true)

/** A certificate that is no authority's, PEM. */
export const leaf = (): string => issue('leaf', false)
