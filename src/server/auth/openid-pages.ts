import { createPublicKey } from 'node:crypto'
import type { TypedPage } from '../../apiserver/request/plain-paths.ts'
import { algorithmOf, keyIdOf } from './authenticators/service-account-tokens.ts'

export interface OpenIdConfig {
  readonly issuers: readonly string[]
  readonly publicKeys: readonly string[]
  /** The published URL of the keys; undefined: below the issuer. */
  readonly jwksUri: string | undefined
}

/** OpenID Connect discovery, by which others can verify service account tokens: for the server's table of pages. */
export function openIdPages({ issuers, publicKeys, jwksUri }: OpenIdConfig): Readonly<Record<string, TypedPage>> {
  const cached = { 'cache-control': 'public, max-age=3600' }
  const [issuer = ''] = issuers
  const configuration = {
    issuer,
    jwks_uri: jwksUri ?? `${issuer}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(publicKeys.map((pem) => algorithmOf(createPublicKey(pem))))],
  }
  const keys = () =>
    publicKeys.map((pem) => {
      const key = createPublicKey(pem)
      return { use: 'sig', ...key.export({ format: 'jwk' }), kid: keyIdOf(pem), alg: algorithmOf(key) }
    })
  const page = (type: string, value: () => object): TypedPage => ({
    type,
    answer: () => ({ code: 200, headers: { 'content-type': type, ...cached }, body: JSON.stringify(value()) }),
  })
  const configurationPage = page('application/json', () => configuration)
  const keysPage = page('application/jwk-set+json', () => ({ keys: keys() }))
  return {
    '/.well-known/openid-configuration': configurationPage,
    '/.well-known/openid-configuration/': configurationPage,
    '/openid/v1/jwks': keysPage,
    '/openid/v1/jwks/': keysPage,
  }
}
