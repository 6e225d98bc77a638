import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { json, type WebhookDouble, webhookDouble } from '../../../webhook-callers/webhook.double.ts'

interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** An issuer of tokens over real HTTPS: discovery, a key set, and whatever else `pages` answers. */
export interface IssuerDouble extends AsyncDisposable {
  readonly webhook: WebhookDouble
  readonly url: string
  /** Another key takes the place of the one that signs; the old one leaves the set. */
  rotate(): void
  /** Paths that were asked for since the last call. */
  asked(): string[]
  /** Signs claims; those that every token needs are filled in. */
  token(claims?: object, header?: object): string
  /** What the discovery document says of the issuer's name. */
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
    asked: () => webhook.received.splice(0).map((r) => r.path),
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
