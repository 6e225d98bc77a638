import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { watchCacheDouble } from '../../../apiserver/cache/watch-cache.double.ts'
import { VirtualClock } from '../../../base/clock.ts'
import { exposition } from '../../../base/exposition.ts'
import { messageOf } from '../../../base/message-of.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Secret } from '../../../resources/types/core.ts'
import { bearerToken, createAuthenticator, webSocketToken } from '../create-authenticator.ts'
import { AuthenticationCounts } from './authentication-counts.ts'
import { bootstrapTokenAuthenticator } from './bootstrap-tokens.ts'
import { clientCertificateAuthenticator } from './client-certificate.ts'
import { frontProxyAuthenticator } from './front-proxy.ts'
import { legacyAccountTokenAuthenticator } from './legacy-account-tokens.ts'
import { secretTokenUse } from './secret-token-use.ts'
import { parseTokenFile } from './static-tokens.ts'

const OWN = ['https://kubernetes.default.svc']

test('a token file is read as Kubernetes reads it', () => {
  const text = 'tok-a,a,1,"x,y"\ntok-b,b,2\n,nobody,3\ntok-dup,one,1\ntok-dup,two,2\ntok-g,g,3,"a, b ,,c",more\n'
  assert.deepEqual(
    [...parseTokenFile(text, 'tokens.csv')].map(([token, u]) => `${token}: ${u.name} ${u.uid} ${JSON.stringify(u.groups)}`),
    ['tok-a: a 1 ["x","y"]', 'tok-b: b 2 []', 'tok-dup: two 2 []', 'tok-g: g 3 ["a"," b ","","c"]'],
  )
  assert.throws(() => parseTokenFile('a,b\n', 'f.csv'), {
    message: "token file 'f.csv' must have at least 3 columns (token, user name, user uid), found 2",
  })
})

const proxy = { commonName: 'proxy', organizations: [], fingerprint: 'f', authority: 'front-proxy' as const }
const frontProxy = frontProxyAuthenticator({
  allowedNames: ['proxy'],
  userHeaders: ['X-Remote-User', 'X-Other-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group', 'X-Other-Group'],
  extraPrefixes: ['X-Remote-Extra-'],
})
for (const [name, headers, expected] of [
  ['a user alone', { 'x-remote-user': ['zoe'] }, { name: 'zoe', groups: [] }],
  ['the second header', { 'x-other-user': ['zoe'], 'x-other-group': ['b'], 'x-remote-group': ['a'] }, { name: 'zoe', groups: ['a', 'b'] }],
  ['two users: the first', { 'x-remote-user': ['zoe', 'yan'] }, { name: 'zoe', groups: [] }],
  [
    'a uid and extras',
    { 'x-remote-user': 'zoe', 'x-remote-uid': 'u', 'x-remote-extra-a%2fb': ['1', '2'], 'x-remote-extra-%zz': 'bad' },
    { name: 'zoe', uid: 'u', groups: [], extra: { '%zz': ['bad'], 'a/b': ['1', '2'] } },
  ],
  ['nobody', { 'x-remote-group': ['a'] }, undefined],
] as const) {
  test(`a front proxy names: ${name}`, () => {
    const user = frontProxy.authenticate({ path: '/', certificate: proxy, headers })
    assert.deepEqual(user === undefined ? undefined : JSON.parse(JSON.stringify(user)), expected)
  })
}

test('headers of clients other than front proxies are ignored', () => {
  const headers = { 'x-remote-user': 'zoe' }
  assert.equal(frontProxy.authenticate({ path: '/', headers }), undefined)
  assert.equal(frontProxy.authenticate({ path: '/', headers, certificate: { ...proxy, commonName: 'Proxy' } }), undefined)
  assert.equal(frontProxy.authenticate({ path: '/', headers, certificate: { ...proxy, authority: 'client' } }), undefined)
})

test('a certificate of an authority for both is a front proxy’s with an allowed name and a user in the headers, else a client’s', () => {
  const shared = { ...proxy, authority: 'both' as const }
  const headers = { 'x-remote-user': 'zoe' }
  const clients = clientCertificateAuthenticator({ ids: false })
  assert.deepEqual(frontProxy.authenticate({ path: '/', headers, certificate: shared }), { name: 'zoe', groups: [] })
  assert.equal(frontProxy.authenticate({ path: '/', headers: {}, certificate: shared }), undefined)
  assert.equal(frontProxy.authenticate({ path: '/', headers, certificate: { ...shared, commonName: 'ann' } }), undefined)
  assert.deepEqual(clients.authenticate({ path: '/', headers, certificate: { ...shared, commonName: 'ann' } }), { name: 'ann', groups: [] })
})

test('metrics: the lifetimes of client certificates are counted by request', () => {
  const counts = new AuthenticationCounts('sha256:0')
  const noted = ({ validTo }: { readonly validTo?: number }) => counts.certificate(validTo, 1000)
  const clients = clientCertificateAuthenticator({ ids: false }, { noted })
  const certificate = { commonName: 'ann', organizations: [], fingerprint: 'f', validTo: 7_201_000 }
  for (let i = 0; i < 2; i++) clients.authenticate({ path: '/', headers: {}, certificate })
  const lines = exposition(counts.families()).split('\n')
  const name = 'apiserver_client_certificate_expiration_seconds'
  for (const line of [`${name}_bucket{le="3600"} 0`, `${name}_bucket{le="7200"} 2`, `${name}_sum 14400`]) assert.ok(lines.includes(line))
})

test('a front proxy’s extras never become anything but extras', () => {
  const keys = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '%5F%5Fproto%5F%5F'))
  fc.assert(
    fc.property(fc.dictionary(keys, fc.string()), (given) => {
      const headers: Record<string, string> = Object.create(null)
      headers['x-remote-user'] = 'zoe'
      for (const [key, value] of Object.entries(given)) headers[`x-remote-extra-${key.toLowerCase()}`] = value
      const user = frontProxy.authenticate({ path: '/', certificate: proxy, headers })
      assert.ok(user !== undefined && !(user instanceof Promise))
      assert.equal(user.name, 'zoe')
      assert.equal(({} as Record<string, unknown>).polluted, undefined)
    }),
  )
})

const secret = (data: Record<string, string>, more: object = {}): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, Buffer.from(v).toString('base64')])),
  ...more,
})
const whole = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' }
const TOKEN = 'abcdef.0123456789abcdef'
for (const [name, object, token, expected] of [
  ['a whole secret', secret(whole), TOKEN, ['system:bootstrappers']],
  [
    'groups of its own',
    secret({ ...whole, 'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a' }),
    TOKEN,
    ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b'],
  ],
  ['another group', secret({ ...whole, 'auth-extra-groups': 'admins' }), TOKEN, undefined],
  ['groups with blanks', secret({ ...whole, 'auth-extra-groups': ' system:bootstrappers:a' }), TOKEN, undefined],
  ['not for authentication', secret({ ...whole, 'usage-bootstrap-authentication': 'yes' }), TOKEN, undefined],
  ['ended', secret({ ...whole, expiration: '2020-01-01T00:00:00Z' }), TOKEN, undefined],
  ['to end', secret({ ...whole, expiration: '2099-01-01T00:00:00+02:00' }), TOKEN, ['system:bootstrappers']],
  ['a time that is none', secret({ ...whole, expiration: 'tomorrow' }), TOKEN, undefined],
  ['another type', secret(whole, { type: 'Opaque' }), TOKEN, undefined],
  ['another secret', secret(whole), 'abcdef.ffffffffffffffff', undefined],
  ['upper case', secret(whole), TOKEN.toUpperCase(), undefined],
  ['no data', secret({}, { data: undefined }), TOKEN, undefined],
  [
    'on its way out',
    secret(whole, { metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system', deletionTimestamp: 'x' } }),
    TOKEN,
    undefined,
  ],
] as const) {
  test(`a bootstrap token: ${name}`, async () => {
    const watchCache = watchCacheDouble()
    watchCache.put('', 'secrets', object)
    const reader = bootstrapTokenAuthenticator(OWN, { clock: new VirtualClock(), reader: watchCache.reader })
    assert.deepEqual((await reader.authenticateToken(token, OWN))?.user.groups, expected)
  })
}

test('a token of a secret is for its audiences; without any, for the API server', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = Object.entries({ namespace: 'ns', 'secret.name': 's', 'service-account.name': 'robot', 'service-account.uid': 'u1' })
  const publicKeys = [pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()]
  const reader = legacyAccountTokenAuthenticator({ issuers: [], publicKeys, lookup: false }, ['api'], watchCacheDouble())
  const good = (aud: unknown, wanted: readonly string[]) => {
    const named = Object.fromEntries(claims.map(([name, value]) => [`kubernetes.io/serviceaccount/${name}`, value]))
    const body = `${part({ alg: 'RS256' })}.${part({ iss: 'kubernetes/serviceaccount', sub: 'system:serviceaccount:ns:robot', aud, ...named })}`
    const token = `${body}.${sign('sha256', Buffer.from(body), pair.privateKey).toString('base64url')}`
    try {
      const found = reader.authenticateToken(token, wanted)
      return found instanceof Promise ? undefined : found?.audiences?.join(' ')
    } catch (error) {
      return messageOf(error)
    }
  }
  assert.equal(good(undefined, ['api', 'x']), 'api')
  assert.equal(good(['x', 'api'], ['api', 'x', 'y']), 'api x')
  assert.equal(good('x', ['x']), 'x')
  assert.equal(good(['x'], ['api']), 'token audiences ["x"] is invalid for the target audiences ["api"]')
  assert.equal(good([], ['x']), 'token audiences ["api"] is invalid for the target audiences ["x"]')
})

test('a token of a secret is good while the secret holds it and its account is there', async () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claim = (name: string) => `kubernetes.io/serviceaccount/${name}`
  const body = `${part({ alg: 'RS256' })}.${part({
    iss: 'kubernetes/serviceaccount',
    sub: 'system:serviceaccount:ns:robot',
    [claim('namespace')]: 'ns',
    [claim('secret.name')]: 's',
    [claim('service-account.name')]: 'robot',
    [claim('service-account.uid')]: 'u1',
  })}`
  const token = `${body}.${sign('sha256', Buffer.from(body), pair.privateKey).toString('base64url')}`
  const watchCache = watchCacheDouble()
  const publicKeys = [pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()]
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const noted: string[] = []
  const use = secretTokenUse({ clock, note: (secret, day) => noted.push(`${secret.metadata.name} ${day}`) })
  const reader = legacyAccountTokenAuthenticator({ issuers: [], publicKeys, lookup: true }, OWN, { ...watchCache, use })
  const said = () => {
    try {
      const found = reader.authenticateToken(token, OWN)
      return found instanceof Promise || found === undefined ? 'unknown' : found.user.name
    } catch (error) {
      return messageOf(error)
    }
  }
  assert.equal(said(), 'Token has been invalidated')
  const put = (kind: string, name: string, more: object) =>
    watchCache.put('', `${kind.toLowerCase()}s`, { apiVersion: 'v1', kind, metadata: { name, namespace: 'ns', uid: 'u1' }, ...more })
  put('Secret', 's', { data: { token: Buffer.from('another').toString('base64') } })
  assert.equal(said(), "Token does not match server's copy")
  put('Secret', 's', { data: { token: Buffer.from(token).toString('base64') } })
  assert.equal(said(), 'serviceaccounts "robot" not found')
  put('ServiceAccount', 'robot', {})
  assert.deepEqual(noted, [])
  assert.equal(said(), 'system:serviceaccount:ns:robot')
  assert.equal(said(), 'system:serviceaccount:ns:robot')
  assert.deepEqual(noted, ['s 2026-01-01'], 'once a day')
  const labelled = (labels: Record<string, string>) =>
    put('Secret', 's', {
      metadata: { name: 's', namespace: 'ns', uid: 'u1', labels },
      data: { token: Buffer.from(token).toString('base64') },
    })
  for (const [day, calls] of [
    ['2026-01-01', 1],
    ['2026-01-02', 1],
    ['2025-12-31', 2],
  ] as const) {
    labelled({ 'kubernetes.io/legacy-token-last-used': day })
    said()
    assert.equal(noted.length, calls, day)
  }
  labelled({ 'kubernetes.io/legacy-token-invalid-since': '2025-06-01' })
  assert.match(said(), /^the token in secret ns\/s for service account ns\/robot has been marked invalid/)
  await clock.advance(86_400_000)
  said()
  assert.equal(noted.at(-1), 's 2026-01-02', 'somebody missed it')
})

test('anonymous requests are allowed for the configured paths only', async () => {
  const make = (anonymous: { enabled: boolean; paths: ReadonlySet<string> }) =>
    createAuthenticator({ requests: [], tokens: [], audiences: OWN, anonymous }, { clock: new VirtualClock() })
  const at = (rules: { enabled: boolean; paths: ReadonlySet<string> }, path: string) => {
    try {
      return make(rules).authenticate({ path, headers: {} }) instanceof Promise ? 'late' : 'welcome'
    } catch (error) {
      return isStatus(error, 'Unauthorized') ? '401' : String(error)
    }
  }
  const some = { enabled: true, paths: new Set(['/livez']) }
  assert.deepEqual([at(some, '/livez'), at(some, '/livez/ping'), at(some, '/api')], ['welcome', '401', '401'])
  assert.equal(at({ enabled: false, paths: new Set() }, '/livez'), '401')
})

test('a blank before the token causes a warning', () => {
  const reported: string[] = []
  const read = (header: string) => bearerToken(header, (text) => reported.push(text))
  assert.deepEqual([read('Bearer  x'), reported.length], [undefined, 1])
  assert.deepEqual(
    [read('Bearer '), read('bearer a b'), read(' BEARER a '), read('Bearer\ta'), read('Basic a'), reported.length],
    [undefined, 'a', 'a', undefined, undefined, 1],
  )
})

test('no header makes the reader of tokens fail otherwise than by a 401', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const token = bearerToken(text)
      assert.ok(token === undefined || (token !== '' && !token.includes(' ')))
      try {
        webSocketToken(`v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.${text}`)
      } catch (error) {
        assert.ok(isStatus(error, 'Unauthorized'))
      }
    }),
  )
})
