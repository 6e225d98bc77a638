import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { systemClock } from '../../../../base/clock.ts'
import { liveFile } from '../../../../base/live-text.ts'
import { silentLogger } from '../../../../base/logger.ts'
import { messageOf } from '../../../../base/message-of.ts'
import { waitFor } from '../../../../testing/wait-for.ts'
import { readAuthenticationConfiguration } from '../../configuration/load-configuration.ts'
import { type IssuerDouble, issuerDouble } from './issuer.double.ts'
import { SIGNING_ALGORITHMS } from './jws.ts'
import { type JwtIssuers, openJwtIssuers } from './jwt-issuers.ts'

const OWN = ['https://kubernetes.default.svc']

const configuration = (...jwt: readonly object[]) =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt })

const one = (issuer: IssuerDouble, more: object = {}, mappings: object = {}) => ({
  issuer: { url: issuer.url, audiences: ['app'], certificateAuthority: issuer.webhook.ca },
  claimMappings: { username: { claim: 'sub', prefix: 'o:' }, ...mappings },
  ...more,
})

function open(text: string, file?: string) {
  const reported: string[] = []
  const issuers = openJwtIssuers(
    {
      configuration: readAuthenticationConfiguration(text),
      algorithms: SIGNING_ALGORITHMS,
      reload: file === undefined ? undefined : liveFile(file),
      own: OWN,
      ownIssuers: OWN,
    },
    { clock: systemClock, log: silentLogger, reloaded: (status) => reported.push(status) },
  )
  return { issuers, reported }
}

const who = async (issuers: JwtIssuers, token: string) => {
  try {
    const found = await issuers.authenticateToken(token, OWN)
    return found === undefined ? 'unknown' : `${found.user.name}: ${found.user.groups.join(' ')}`
  } catch (error) {
    return messageOf(error)
  }
}

/** Waits until the issuer is discovered; its tokens are refused until then. */
async function ready(issuers: JwtIssuers, token: string): Promise<void> {
  await waitFor(async () => (await who(issuers, token)) !== 'oidc: authenticator not initialized', { everyMs: 5, what: 'the issuer' })
}

test('tokens of an issuer are accepted: by discovery, with keys loaded once, and again after a rotation', async () => {
  await using issuer = await issuerDouble(systemClock.now)
  await using issuers = open(configuration(one(issuer, {}, { groups: { claim: 'groups', prefix: 'g:' } }))).issuers
  const token = issuer.token({ groups: ['a', 'b'] })
  await ready(issuers, token)
  for (let i = 0; i < 3; i++) assert.equal(await who(issuers, token), 'o:ann: g:a g:b')
  assert.deepEqual(issuer.wanted(), ['/.well-known/openid-configuration', '/keys'])
  issuer.rotate()
  assert.equal(await who(issuers, issuer.token()), 'o:ann: ')
  assert.deepEqual(issuer.wanted(), ['/keys'])
  assert.match(await who(issuers, token), /failed to verify id token signature$/)
})

test('concurrent tokens load a new key once', async () => {
  await using issuer = await issuerDouble(systemClock.now)
  await using issuers = open(configuration(one(issuer))).issuers
  await ready(issuers, issuer.token())
  issuer.rotate()
  issuer.wanted()
  await Promise.all(Array.from({ length: 20 }, (_, i) => who(issuers, issuer.token({ sub: `u${i}` }))))
  assert.deepEqual(issuer.wanted(), ['/keys'])
})

test('a token of an unknown issuer is ignored, an invalid one of a known issuer is an error', async () => {
  await using issuer = await issuerDouble(systemClock.now)
  await using issuers = open(configuration(one(issuer))).issuers
  await ready(issuers, issuer.token())
  const now = Math.floor(systemClock.now() / 1000)
  const nobodys = [
    '',
    '..',
    'a.b.c',
    'a.b.c.d',
    'e30.e30.AAAA',
    issuer.token({ iss: `${issuer.url}/` }),
    issuer.token({ iss: 5 }),
    'x'.repeat(1 << 20),
  ]
  for (const token of nobodys) assert.equal(await who(issuers, token), 'unknown', token.slice(0, 40))
  const wrong: readonly (readonly [object, object, RegExp])[] = [
    [{ aud: null }, {}, /expected audience "app" got \[""\]$/],
    [{ aud: [5] }, {}, /cannot unmarshal number into Go struct field idToken.aud of type string$/],
    [{ exp: null }, {}, /strconv.ParseFloat: parsing "": invalid syntax$/],
    [{ exp: 1e300 }, {}, /token is expired/],
    [{ exp: 'soon' }, {}, /json: invalid number literal/],
    [{ _claim_names: { groups: 's' } }, {}, /oidc: source does not exist$/],
    [{}, { kid: 5 }, /failed to unmarshal key ID: json: cannot unmarshal number into Go value of type string: "5"$/],
    [{}, { jwk: { kty: 'oct', k: 'AA' } }, /invalid embedded jwk, must be public key$/],
    [{ aud: 'else' }, {}, /expected audience "app" got \["else"\]$/],
    [{ exp: now - 1 }, {}, /token is expired \(Token Expiry: \d{4}-/],
    [{ nbf: now + 90 }, {}, /before the nbf \(not before\) time/],
    [{}, { alg: 'none' }, /signed with unsupported algorithm, expected \["ES256" .*\] got "none"$/],
    [{}, { alg: 'HS256' }, /unsupported algorithm/],
    [{}, { alg: 'ES384' }, /failed to verify id token signature$/],
    [{}, { crit: ['x'], x: 1 }, /failed to verify id token signature$/],
    [{}, { kid: 'other' }, /failed to verify id token signature$/],
    [{ sub: 7 }, {}, /cannot unmarshal number into Go struct field idToken.sub of type string$/],
    [{ sub: undefined }, {}, /parse username claims "sub": claim not present$/],
  ]
  for (const [claims, header, expected] of wrong) assert.match(await who(issuers, issuer.token(claims, header)), expected)
  assert.equal(await who(issuers, issuer.token({ nbf: now + 30 })), 'o:ann: ')
  const [head, , tail] = issuer.token().split('.')
  const forged = Buffer.from(JSON.stringify({ iss: issuer.url, aud: 'app', sub: 'root', exp: now + 600 })).toString('base64url')
  assert.match(await who(issuers, `${head}.${forged}.${tail}`), /failed to verify id token signature$/)
})

test('an issuer with a wrong name, or an unreachable one, refuses only its own tokens', async () => {
  await using good = await issuerDouble(systemClock.now)
  await using other = await issuerDouble(systemClock.now)
  other.named = 'https://else.example.com'
  await using issuers = open(configuration(one(other), one(good))).issuers
  await ready(issuers, good.token())
  assert.equal(await who(issuers, good.token()), 'o:ann: ')
  assert.equal(await who(issuers, other.token()), 'oidc: authenticator not initialized')
})

test('claims become a user by expressions, and rules judge both', async () => {
  await using issuer = await issuerDouble(systemClock.now)
  const jwt = {
    ...one(issuer, {
      claimValidationRules: [
        { claim: 'hd', requiredValue: 'example.com' },
        { expression: 'claims.exp - claims.iat <= 86400', message: 'lives too long' },
      ],
      userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'no system users' }],
    }),
    claimMappings: {
      username: { expression: "claims.mail.split('@')[0]" },
      groups: { expression: 'claims.?roles.orValue([])' },
      uid: { expression: 'claims.oid' },
      extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
    },
  }
  await using issuers = open(configuration(jwt)).issuers
  const claims = { mail: 'ann@example.com', hd: 'example.com', oid: 'o1', tenant: 't1', jti: 'j1' }
  await ready(issuers, issuer.token(claims))
  const found = await issuers.authenticateToken(issuer.token({ ...claims, roles: ['x', '', 'y'] }), OWN)
  assert.deepEqual(JSON.parse(JSON.stringify(found?.user)), {
    name: 'ann',
    uid: 'o1',
    groups: ['x', 'y'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j1'], 'example.com/tenant': ['t1'] },
  })
  const wrong: readonly (readonly [object, string])[] = [
    [{ hd: 'else.com' }, 'oidc: required claim hd value does not match. Got = else.com, want = example.com'],
    [{ hd: undefined }, 'oidc: required claim hd not present in ID token'],
    [{ mail: '@x' }, 'oidc: empty username via CEL expression is not allowed'],
    [
      { mail: 'system:x@y' },
      "oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('system:')' failed: no system users",
    ],
    [{ oid: 7 }, 'oidc: error evaluating uid claim expression: uid claim expression must return a string'],
    [{ tenant: 5 }, 'oidc: error evaluating extra claim expression: claims.tenant: expression must return a string or a list of strings'],
    [{ roles: [1] }, 'oidc: error evaluating group claim expression: expression must return a string or a list of strings'],
    [
      { exp: Math.floor(systemClock.now() / 1000) + 90_000 },
      "oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.iat <= 86400' failed: lives too long",
    ],
  ]
  for (const [more, expected] of wrong) assert.equal(await who(issuers, issuer.token({ ...claims, ...more })), expected)
})

test('numbers of claims are doubles, as encoding/json reads them', async () => {
  await using issuer = await issuerDouble(systemClock.now)
  await using issuers = open(
    configuration(one(issuer, {}, { groups: { expression: "[string(claims.n), type(claims.n) == double ? 'double' : 'other']" } })),
  ).issuers
  await ready(issuers, issuer.token({ n: 5 }))
  assert.equal(await who(issuers, issuer.token({ n: 5 })), 'o:ann: 5 double')
  assert.equal(await who(issuers, issuer.token({ n: 2.5 })), 'o:ann: 2.5 double')
})

test('an expression that never ends costs no more than its budget', async () => {
  await using issuer = await issuerDouble(systemClock.now)
  const list = Array.from({ length: 300 }, (_, i) => i)
  const costly = 'dyn(claims.l).all(a, dyn(claims.l).all(b, dyn(claims.l).all(c, a + b + c >= 0)))'
  await using issuers = open(configuration(one(issuer, { claimValidationRules: [{ expression: costly }] }))).issuers
  await ready(issuers, issuer.token({ l: [] }))
  assert.match(await who(issuers, issuer.token({ l: list })), /actual cost limit exceeded$/)
})

test('groups that a token only points to are fetched, as a token that their issuer signed', async () => {
  await using issuer = await issuerDouble(systemClock.now)
  await using issuers = open(configuration(one(issuer, {}, { groups: { claim: 'groups', prefix: '' } }))).issuers
  await ready(issuers, issuer.token())
  const pointing = issuer.token({
    _claim_names: { groups: 's' },
    _claim_sources: { s: { endpoint: `${issuer.url}/groups`, access_token: 'at' } },
  })
  issuer.pages.set('/groups', issuer.token({ groups: ['far'] }))
  assert.equal(await who(issuers, pointing), 'o:ann: far')
  assert.equal(issuer.webhook.received.find((r) => r.path === '/groups')?.headers.authorization, 'Bearer at')
  const requested = issuer.wanted().length
  assert.equal(await who(issuers, pointing), 'o:ann: far')
  assert.ok(requested > 1)
  assert.deepEqual(issuer.wanted(), ['/groups'])
  issuer.pages.delete('/groups')
  assert.match(
    await who(issuers, pointing),
    /could not expand distributed claims: while getting distributed claim "groups": .* 404 Not Found$/,
  )
})

test('a new file replaces the old configuration when its issuers are discovered; an invalid one does not', async () => {
  await using first = await issuerDouble(systemClock.now)
  await using second = await issuerDouble(systemClock.now)
  const file = first.webhook.file('authn.json', configuration(one(first)))
  const { issuers, reported } = open(configuration(one(first)), file)
  await using _ = issuers
  await ready(issuers, first.token())
  const counted = (n: number) => waitFor(() => reported.length >= n, { everyMs: 10, what: `${n} readings of the file` })
  writeFileSync(file, 'this is none')
  await counted(1)
  assert.equal(await who(issuers, first.token()), 'o:ann: ')
  writeFileSync(file, configuration(one(second)))
  await counted(2)
  assert.deepEqual([await who(issuers, first.token()), await who(issuers, second.token())], ['unknown', 'o:ann: '])
  writeFileSync(file, JSON.stringify({ ...JSON.parse(configuration(one(second))), anonymous: { enabled: false } }))
  await counted(3)
  assert.deepEqual(reported, ['failure', 'success', 'failure'])
  rmSync(file)
  assert.equal(await who(issuers, second.token()), 'o:ann: ')
})
