/** What a TLS port proves itself with, and whom it believes. PEM texts. */
export interface TlsConfig {
  readonly cert: string
  readonly key: string
  readonly clientCa: string
  /** Who vouches for front proxies, which name users in headers. */
  readonly frontProxyCa?: string
  /** Default: TLS 1.2. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
  /** As OpenSSL names them; default: Node's. */
  readonly ciphers?: string | undefined
  /** Shown to those who ask for these names. */
  readonly sni?: readonly { readonly names: readonly string[]; readonly cert: string; readonly key: string }[]
}
