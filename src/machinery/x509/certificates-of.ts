import { X509Certificate } from 'node:crypto'

/** The certificates of a PEM text. */
export const certificatesOf = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((text) => new X509Certificate(text))
