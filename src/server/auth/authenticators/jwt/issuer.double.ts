import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { json, type WebhookDouble, webhookDouble } from '../../../webhook-callers/webhook.double.ts'

interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** An issuer over real HTTPS: discovery, a key set, and further `pages`. */
export interface IssuerDouble extends AsyncDisposable {
  readonly webhook: WebhookDouble
  readonly url: string
  /** Replaces the signing key; the old one leaves the key set. */
  rotate(): void
  /** The requested paths since the last call. */
  wanted(): string[]
  /** Signs claims; required ones are added. */
  token(claims?: object, header?: object): string
  /** The issuer in the discovery document. */
  named: string
  /** Further pages, by path. */
  readonly pages: Map<string, string>
}

export async function issuerDouble(nowMs: () => number): Promise<IssuerDouble> {
  const webhook = await webhookDouble()
  let count = 0
  const newKey = (): SigningKey => ({ id: `key-${++count}`, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) })
  let key = newKey()
  const issuer: IssuerDouble = {
    webhook,
    url: webhook.url,
    named: webhook.url,
    pages: new Map(),
    rotate: () => {
      key = newKey()
    },
    wanted: () => webhook.received.splice(0).map((r) => r.path),
    token(claims = {}, header = {}) {
      const now = Math.floor(nowMs() / 1000)
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const body = `${part({ alg: 'ES256', kid: key.id, ...header })}.${part({ iss: webhook.url, aud: 'app', sub: 'ann', iat: now, exp: now + 600, ...claims })}`
      return `${body}.${sign('sha256', Buffer.from(body), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    },
    [Symbol.asyncDispose]: () => webhook[Symbol.asyncDispose](),
  }
  webhook.handler = ({ path }, response) => {
    const page = issuer.pages.get(path)
    if (page !== undefined) return void response.end(page)
    if (path === '/.well-known/openid-configuration') return json(response, { issuer: issuer.named, jwks_uri: `${webhook.url}/keys` })
    if (path === '/keys')
      return json(response, { keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.id, alg: 'ES256', use: 'sig' }] })
    json(response, {}, 404)
  }
  return issuer
}
