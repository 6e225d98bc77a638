/** The certificate of a TLS port, and the client authorities that it trusts, as PEM. */
export interface TlsConfig {
  readonly cert: string
  readonly key: string
  readonly clientCa: string
  /** The authority of front proxies, which name users in headers. */
  readonly frontProxyCa?: string
  /** Default: TLS 1.2. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
  /** Cipher suites by OpenSSL's names; default: Node's. */
  readonly ciphers?: string | undefined
  /** Certificates for particular server names (SNI). */
  readonly sni?: readonly { readonly names: readonly string[]; readonly cert: string; readonly key: string }[]
}
