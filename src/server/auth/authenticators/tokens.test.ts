import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchCacheDouble } from '../../../apiserver/cache/watch-cache.double.ts'
import type { EffectRequest, ServerTools } from '../../../apiserver/extension-points.ts'
import { VirtualClock } from '../../../base/clock.ts'
import { silentLogger } from '../../../base/logger.ts'
import { seededRandom } from '../../../base/random.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { readPath } from '../../../machinery/resource/definition.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { newKeyPair } from '../../../machinery/x509/certificate.ts'
import type { TokenRequest } from '../../../resources/types/authentication.ts'
import { createAuthenticator } from '../create-authenticator.ts'
import { tokenRequest } from '../reviews/token-request.ts'
import { clientCertificateAuthenticator } from './client-certificate.ts'
import { serviceAccountTokenAuthenticator, tokenSigner } from './service-account-tokens.ts'
import { parseTokenFile, staticTokenAuthenticator } from './static-tokens.ts'

const pems = () => {
  const pair = newKeyPair()
  return {
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}
const own = pems()
const old = pems()
const ISSUER = 'https://kubernetes.default.svc'
const keys = { issuers: [ISSUER], signingKey: own.privateKey, publicKeys: [own.publicKey, old.publicKey], lookup: true }
const issuing = { issuer: ISSUER, own: [ISSUER], maxExpirationMs: undefined, extendExpiration: true }

function world() {
  const watchCache = watchCacheDouble()
  const clock = new VirtualClock()
  const object = (kind: string, name: string, uid: string, spec: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'ns', uid },
    spec,
  })
  watchCache.put('', 'serviceaccounts', object('ServiceAccount', 'robot', 'u1'))
  watchCache.put('', 'pods', object('Pod', 'p', 'u2', { serviceAccountName: 'robot', nodeName: 'n' }))
  const tools = { reader: watchCache.reader, clock, random: seededRandom(1), log: silentLogger } as unknown as ServerTools
  /** Resolves with the token. */
  const request = async (spec: object, signingKey = keys.signingKey) => {
    const made = await tokenRequest(tokenSigner({ signingKey }), issuing)(
      {
        name: 'robot',
        namespace: 'ns',
        input: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec },
        admit: async () => {},
        annotate: () => {},
      } as unknown as EffectRequest<TokenRequest>,
      tools,
    )
    return String(readPath(made, ['status', 'token']))
  }
  const authenticator = createAuthenticator(
    {
      requests: [clientCertificateAuthenticator({ ids: true })],
      tokens: [
        staticTokenAuthenticator(parseTokenFile('secret,ann,1,"a,b"', 'tokens.csv'), [ISSUER]),
        serviceAccountTokenAuthenticator(keys, { clock, reader: watchCache.reader }),
      ],
      audiences: [ISSUER],
      anonymous: { enabled: true, paths: new Set() },
    },
    { clock },
  )
  return { watchCache, clock, request, authenticator }
}

for (const [ref, why] of [
  [{ kind: 'Pod' }, 'Name parameter required.'],
  [{ kind: 'Pod', name: 'a/b' }, `Name parameter invalid: "a/b": may not contain '/'`],
  [{ kind: 'Pod', apiVersion: 'v2', name: 'none' }, 'pods "none" not found'],
  [{ kind: 'Pod', apiVersion: 'apps/v1', name: 'p' }, 'cannot bind token to object of type apps/v1, Kind=Pod'],
  [{ kind: 'Pod', name: 'p', uid: 'u9' }, /^Operation cannot be fulfilled on Pod "p": the UID in the bound object reference \(u9\)/],
] as const)
  test(`a token is not bound to ${JSON.stringify(ref)}`, async () => {
    await assert.rejects(world().request({ boundObjectRef: ref }), { message: why })
  })

const said = async (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (e: Error) => e.message,
  )

test('a requested token proves its account, and keeps being verified', async () => {
  const { watchCache, clock, request, authenticator } = world()
  const token = await request({})
  const { user } = await authenticator.tokens.authenticateToken(token)
  assert.equal(user.name, 'system:serviceaccount:ns:robot')
  assert.deepEqual(user.groups, ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'])
  assert.equal((await authenticator.tokens.authenticateToken(token)).user, user)
  assert.equal(
    await said(authenticator.tokens.authenticateToken(token, ['x'])),
    '[invalid bearer token, token audiences ["https://kubernetes.default.svc"] is invalid for the target audiences ["x"]]',
  )
  assert.equal(
    await said(authenticator.tokens.authenticateToken(`${token}x`)),
    '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
  )
  await clock.advance(3601_000)
  assert.equal(await said(authenticator.tokens.authenticateToken(token)), '[invalid bearer token, service account token has expired]')
  watchCache.remove('', 'serviceaccounts', 'robot', 'ns')
  assert.equal(await said(request({})), 'serviceaccounts "robot" not found')
})

test('a token dies with its account and with the pod that it is bound to', async () => {
  const { watchCache, request, authenticator } = world()
  const plain = await request({})
  const bound = await request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } })
  const { user } = await authenticator.tokens.authenticateToken(bound)
  assert.deepEqual(
    [user.extra?.['authentication.kubernetes.io/pod-name'], user.extra?.['authentication.kubernetes.io/node-name']],
    [['p'], ['n']],
  )
  watchCache.remove('', 'pods', 'p', 'ns')
  assert.equal(await said(authenticator.tokens.authenticateToken(bound)), '[invalid bearer token, pods "p" not found]')
  watchCache.remove('', 'serviceaccounts', 'robot', 'ns')
  assert.equal(await said(authenticator.tokens.authenticateToken(plain)), '[invalid bearer token, serviceaccounts "robot" not found]')
})

test('a retired key still verifies, a strange one does not', async () => {
  const { request, authenticator } = world()
  const retired = await request({}, old.privateKey)
  assert.equal(await said(authenticator.tokens.authenticateToken(retired)), 'ok')
  const strange = pems()
  const forged = await request({}, strange.privateKey)
  assert.match(await said(authenticator.tokens.authenticateToken(forged)), /cryptographic/)
})

test('tokens that are bound to a pod are valid for a year, with a warning time of one hour', async () => {
  const { clock, request } = world()
  const claims = async (spec: object) => {
    const [, payload = ''] = (await request({ expirationSeconds: 3607, ...spec })).split('.')
    return JSON.parse(Buffer.from(payload, 'base64url').toString())
  }
  const now = clock.now() / 1000
  const bound = await claims({ boundObjectRef: { kind: 'Pod', name: 'p' } })
  assert.deepEqual([bound.exp - now, bound['kubernetes.io'].warnafter - now], [365 * 86400, 3607])
  const plain = await claims({})
  assert.deepEqual([plain.exp - now, plain['kubernetes.io'].warnafter], [3607, undefined])
})

test('wrong requests are refused in the words of Kubernetes', async () => {
  const { request } = world()
  assert.match(await said(request({ expirationSeconds: 5 })), /may not specify a duration less than 10 minutes$/)
  assert.match(
    await said(request({ boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'c' } })),
    /^cannot bind token to object of type \/v1, Kind=ConfigMap$/,
  )
  assert.match(await said(request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } })), /^pods "none" not found$/)
})

const certificate = { commonName: 'cert', organizations: ['o'], fingerprint: 'f' }
const headers = {}
const cases: readonly (readonly [string, Parameters<ReturnType<typeof createAuthenticator>['authenticate']>[0], string])[] = [
  ['nobody', { path: '/', headers }, 'system:anonymous: system:unauthenticated'],
  ['a certificate', { path: '/', headers, certificate }, 'cert: o system:authenticated'],
  [
    'a certificate wins over a wrong token',
    { path: '/', headers, certificate, authorization: 'Bearer nope' },
    'cert: o system:authenticated',
  ],
  ['a static token', { path: '/', headers, authorization: 'bearer secret' }, 'ann: a b system:authenticated'],
  ['a wrong token', { path: '/', headers, authorization: 'Bearer nope' }, '401'],
  ['a token with something behind it', { path: '/', headers, authorization: 'Bearer nope x' }, '401'],
  ['another scheme', { path: '/', headers, authorization: 'Basic YTpi' }, 'system:anonymous: system:unauthenticated'],
  [
    'a token of a WebSocket',
    {
      path: '/',
      headers: {
        upgrade: 'websocket',
        'sec-websocket-protocol': `v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.${Buffer.from('secret').toString('base64url')}`,
      },
    },
    'ann: a b system:authenticated',
  ],
  ['an empty token', { path: '/', headers, authorization: 'Bearer ' }, 'system:anonymous: system:unauthenticated'],
  ['a certificate of the front proxy alone', { path: '/', headers, certificate: { ...certificate, authority: 'front-proxy' } }, '401'],
  ['a certificate that proves nothing', { path: '/', headers, wrongCertificate: true }, '401'],
  [
    'the same with a token',
    { path: '/', headers, wrongCertificate: true, authorization: 'Bearer secret' },
    'ann: a b system:authenticated',
  ],
  ['a certificate without a name', { path: '/', headers, certificate: { ...certificate, commonName: '' } }, '401'],
]
for (const [name, credentials, expected] of cases) {
  test(name, async () => {
    const { authenticator } = world()
    let got: string
    try {
      const user = await authenticator.authenticate(credentials)
      got = `${user?.name}: ${user?.groups.join(' ')}`
    } catch (error) {
      got = isStatus(error) ? String(error.code) : String(error)
    }
    assert.equal(got, expected)
  })
}
