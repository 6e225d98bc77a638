/** Issuers of tokens that are hostile, and tokens that were forged with what they publish: nobody is let in, and the server goes on. */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { messageOf } from '../../src/base/message-of.ts'
import { type IssuerDouble, issuerDouble } from '../../src/server/auth/authenticators/jwt/issuer.double.ts'
import { SIGNING_ALGORITHMS } from '../../src/server/auth/authenticators/jwt/jws.ts'
import { type JwtIssuers, openJwtIssuers } from '../../src/server/auth/authenticators/jwt/jwt-issuers.ts'
import { readAuthenticationConfiguration } from '../../src/server/auth/configuration/load-configuration.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const OWN = ['https://kubernetes.default.svc']

function open(issuer: IssuerDouble): JwtIssuers {
  const one = {
    issuer: { url: issuer.url, audiences: ['app'], certificateAuthority: issuer.webhook.ca },
    claimMappings: { username: { claim: 'sub', prefix: '' } },
  }
  const text = JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: [one] })
  const configuration = readAuthenticationConfiguration(text)
  return openJwtIssuers(
    { configuration, algorithms: SIGNING_ALGORITHMS, reload: undefined, own: OWN, ownIssuers: OWN },
    { clock: systemClock, log: silentLogger, reloaded: () => {} },
  )
}

/** The user's name, or why there is none. */
async function who(issuers: JwtIssuers, token: string): Promise<string> {
  try {
    return (await issuers.authenticateToken(token, OWN))?.user.name ?? 'nobody'
  } catch (error) {
    return `refused: ${messageOf(error)}`
  }
}

const part = (value: object | string) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token of this issuer with any header, signed in any way. */
function forged(issuer: IssuerDouble, header: object | string, signed: (text: string) => Buffer | string, claims: object = {}): string {
  const now = Math.floor(systemClock.now() / 1000)
  const body = `${part(header)}.${part({ iss: issuer.url, aud: 'app', sub: 'admin', iat: now, exp: now + 600, ...claims })}`
  const signature = signed(body)
  return `${body}.${typeof signature === 'string' ? signature : signature.toString('base64url')}`
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsaPem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
const rsaJwk = rsa.publicKey.export({ format: 'jwk' })
const byOther = (text: string) => sign('sha256', Buffer.from(text), { key: other.privateKey, dsaEncoding: 'ieee-p1363' })

const forgeries: readonly (readonly [how: string, of: (issuer: IssuerDouble) => string])[] = [
  ['without a signature (alg none)', (i) => forged(i, { alg: 'none' }, () => '')],
  ['with alg None and a signature', (i) => forged(i, { alg: 'None' }, byOther)],
  [
    'with the public key as the secret (HS256, PEM)',
    (i) => forged(i, { alg: 'HS256', kid: 'rsa' }, (t) => createHmac('sha256', rsaPem).update(t).digest()),
  ],
  [
    'with the modulus as the secret (HS256)',
    (i) => forged(i, { alg: 'HS256', kid: 'rsa' }, (t) => createHmac('sha256', String(rsaJwk.n)).update(t).digest()),
  ],
  ['by a key in its own header', (i) => forged(i, { alg: 'ES256', jwk: other.publicKey.export({ format: 'jwk' }) }, byOther)],
  ['by a key at an address of its own', (i) => forged(i, { alg: 'ES256', jku: `${i.url}/evil` }, byOther)],
  [
    'by a symmetric key that the issuer publishes',
    (i) => forged(i, { alg: 'HS256', kid: 'oct' }, (t) => createHmac('sha256', 'secret').update(t).digest()),
  ],
  ['by a key for encryption', (i) => forged(i, { alg: 'ES256', kid: 'enc' }, byOther)],
  ['with a signature of zeros', (i) => forged(i, { alg: 'ES256', kid: 'key-1' }, () => Buffer.alloc(64))],
  ['with an empty signature', (i) => forged(i, { alg: 'ES256', kid: 'key-1' }, () => '')],
  ['with a critical extension', (i) => i.token({}, { crit: ['b64'], b64: false })],
  ['with alg twice', (i) => forged(i, '{"alg":"ES256","alg":"none"}', () => '')],
  ['with a header that is no object', (i) => forged(i, '["ES256"]', byOther)],
  ['with a kid that is a prototype', (i) => forged(i, { alg: 'ES256', kid: '__proto__' }, byOther)],
  ['of another issuer', (i) => i.token({ iss: 'https://elsewhere' })],
  ['of two issuers', (i) => i.token({ iss: [i.url, 'x'] })],
  ['for another audience', (i) => i.token({ aud: 'other' })],
  ['that has expired', (i) => i.token({ exp: 1 })],
  ['that expires at no time', (i) => i.token({ exp: 'never' })],
  ['that is not yet valid', (i) => i.token({ nbf: 9_999_999_999 })],
  ['with a subject that is an object', (i) => i.token({ sub: { a: 1 } })],
  ['with padding', (i) => `${i.token()}=`],
  ['with four parts', (i) => `${i.token()}.x`],
]

test('forged tokens are nobody’s', async (t) => {
  await using issuer = await issuerDouble(systemClock.now)
  await using issuers = open(issuer)
  const good = issuer.token()
  await waitFor(async () => (await who(issuers, good)) === 'ann', { everyMs: 5, what: 'the issuer' })
  for (const [how, of] of forgeries)
    await t.test(how, async () => {
      const name = await who(issuers, of(issuer))
      assert.match(name, /^(nobody$|refused: )/)
      assert.equal(await who(issuers, good), 'ann')
    })
})

const long = randomBytes(383)
long[0] = 0xff
long[382] = 0xff
const keySets: readonly (readonly [what: string, keys: () => string])[] = [
  ['what is no JSON', () => '<html>'],
  ['a list', () => '[1]'],
  [
    'keys that are none',
    () => JSON.stringify({ keys: [null, 1, 'x', {}, { kty: 'RSA' }, { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, { kty: '__proto__' }] }),
  ],
  ['a megabyte and more', () => JSON.stringify({ keys: [], filler: 'x'.repeat(1_100_000) })],
  [
    '256 keys of P-521',
    () =>
      JSON.stringify({
        keys: Array.from({ length: 256 }, () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey.export({ format: 'jwk' })),
      }),
  ],
  [
    'keys whose exponent is as long as they are',
    () =>
      JSON.stringify({ keys: Array(256).fill({ kty: 'RSA', n: randomBytes(384).toString('base64url'), e: long.toString('base64url') }) }),
  ],
  [
    'a key of five million bits',
    () => JSON.stringify({ keys: [{ kty: 'RSA', n: randomBytes(700_000).toString('base64url'), e: 'AQAB' }] }),
  ],
  ['100,000 values', () => JSON.stringify({ keys: Array(100_000).fill({}) })],
]

for (const [what, keys] of keySets)
  test(`an issuer whose key set is ${what} signs nothing, and its next key set counts`, async () => {
    await using issuer = await issuerDouble(systemClock.now)
    await using issuers = open(issuer)
    issuer.pages.set('/keys', keys())
    const token = issuer.token({}, { kid: undefined })
    await waitFor(async () => (await who(issuers, token)) !== 'refused: oidc: authenticator not initialized', { everyMs: 5 })
    assert.match(await who(issuers, token), /^refused: /)
    issuer.pages.delete('/keys')
    assert.equal(await who(issuers, token), 'ann')
  })

test('an issuer that redirects without end, or to what is no HTTP, signs nothing', async () => {
  await using issuer = await issuerDouble(systemClock.now)
  await using issuers = open(issuer)
  const token = issuer.token()
  await waitFor(async () => (await who(issuers, token)) === 'ann', { everyMs: 5 })
  issuer.rotate()
  const { handler } = issuer.webhook
  for (const location of ['/keys', 'file:///etc/passwd', 'http://[::1', 'data:,{}']) {
    issuer.webhook.handler = (_, response) => void response.writeHead(302, { location }).end()
    assert.match(await who(issuers, issuer.token()), /^refused: .*fetching keys/)
  }
  issuer.webhook.handler = handler
  assert.equal(await who(issuers, issuer.token()), 'ann')
})
