import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { systemClock, VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { callWithRetries } from './call-with-retries.ts'
import { readWebhookKubeconfig, WebhookConfigError } from './kubeconfig.ts'
import { WEBHOOK_RETRIES } from './retries.ts'
import { json, type WebhookDouble, webhookDouble } from './webhook.double.ts'
import { createWebhookCaller, WebhookCallError } from './webhook-caller.ts'

const caller = async (webhook: WebhookDouble, user: object = {}, cluster: object = {}) =>
  createWebhookCaller(await readWebhookKubeconfig(webhook.kubeconfig('/ask', user, cluster)), { clock: systemClock })

test('a webhook is called with its path, its time limit and client-go’s headers; the connection is reused', async () => {
  await using webhook = await webhookDouble((_, response) => json(response, { fine: true }))
  using one = await caller(webhook)
  for (let i = 0; i < 3; i++) assert.equal((await one.post('{"a":1}')).body.toString(), '{"fine":true}')
  assert.equal(webhook.connections, 1)
  const [call] = webhook.received
  assert.equal(call?.path, '/ask?timeout=30s')
  assert.equal(call?.text, '{"a":1}')
  const { host: _, 'user-agent': agent, ...headers } = call?.headers ?? {}
  assert.deepEqual(headers, {
    accept: 'application/json, */*',
    'accept-encoding': 'gzip',
    'content-length': '7',
    'content-type': 'application/json',
  })
  assert.match(String(agent), /^kube-apiserver\/v1\.36/)
})

test('tokens, token files that change, and passwords are brought along', async () => {
  await using webhook = await webhookDouble()
  const reported = async (user: object) => {
    using one = await caller(webhook, user)
    await one.post('{}')
    webhook.file('token', 'later\n')
    await one.post('{}')
    return webhook.received.splice(0).map((r) => r.headers.authorization)
  }
  assert.deepEqual(await reported({ token: 't' }), ['Bearer t', 'Bearer t'])
  webhook.file('token', 'first\n')
  assert.deepEqual(await reported({ tokenFile: 'token' }), ['Bearer first', 'Bearer later'])
  const basic = `Basic ${Buffer.from('u:p').toString('base64')}`
  assert.deepEqual(await reported({ username: 'u', password: 'p' }), [basic, basic])
})

const config = (more: object) => ({
  clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: {} }],
  contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
  'current-context': 'c',
  ...more,
})
const NONE = 'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable'
const user = (fields: object) => config({ users: [{ name: 'u', user: fields }] })
const server = (url: string) => config({ clusters: [{ name: 'k', cluster: { server: url } }] })

for (const [name, content, expected] of [
  ['nothing in it', '', NONE],
  ['a context of no cluster', { contexts: [{ name: 'c', context: { cluster: 'x', user: 'y' } }], 'current-context': 'c' }, NONE],
  [
    'no such context',
    config({ 'current-context': 'd' }),
    'invalid configuration: [context was not found for specified context: d, cluster has no server defined]',
  ],
  [
    'no server',
    config({ clusters: [{ name: 'k', cluster: { 'tls-server-name': 'x' } }] }),
    'invalid configuration: no server found for cluster "k"',
  ],
  [
    'a name twice',
    config({ users: [{ name: 'u' }, { name: 'u' }] }),
    'error loading config file "DIR/bad.kubeconfig": error converting *[]NamedAuthInfo into *map[string]*api.AuthInfo: duplicate name "u" in list',
  ],
  [
    'a wrong type',
    config({ clusters: [{ name: 'k', cluster: { server: 5 } }] }),
    'error loading config file "DIR/bad.kubeconfig": json: cannot unmarshal number into Go struct field Cluster.clusters.cluster.server of type string',
  ],
  [
    'two ways to prove who it is',
    user({ token: 'a', username: 'b' }),
    'invalid configuration: more than one authentication method found for u; found [token basicAuth], only one is allowed',
  ],
  [
    'a certificate without a key',
    user({ 'client-certificate-data': 'eA==' }),
    'invalid configuration: client-key-data or client-key must be specified for u to use the clientCert authentication method.',
  ],
  [
    'an authority that does not lie there',
    config({ clusters: [{ name: 'k', cluster: { server: 'https://x', 'certificate-authority': 'none.crt' } }] }),
    'invalid configuration: unable to read certificate-authority DIR/none.crt for k due to open DIR/none.crt: no such file or directory',
  ],
  [
    'an authority that is a folder',
    config({ clusters: [{ name: 'k', cluster: { server: 'https://x', 'certificate-authority': '.' } }] }),
    'read DIR: is a directory',
  ],
  ['a token file that does not lie there', user({ tokenFile: 'none' }), 'open DIR/none: no such file or directory'],
  ['a path instead of a URL', server('/rel'), 'host must be a URL or a host:port pair: "/rel"'],
  ['a URL that is none', server('https://%zz'), 'parse "http://https://%zz": invalid URL escape "%zz"'],
  ['a host that is none', server('x y'), 'parse "http://x y": invalid character " " in host name'],
  [
    'a proxy that is none',
    config({ clusters: [{ name: 'k', cluster: { server: 'https://x', 'proxy-url': '::x' } }] }),
    `invalid configuration: invalid 'proxy-url' "::x" for cluster "k": could not parse: ::x`,
  ],
] as const) {
  test(`a kubeconfig is refused in Kubernetes’ words: ${name}`, async () => {
    await using webhook = await webhookDouble()
    const file = webhook.file('bad.kubeconfig', content)
    await assert.rejects(readWebhookKubeconfig(file), (error) => {
      assert.ok(error instanceof WebhookConfigError)
      assert.equal(error.message.replaceAll(webhook.folder, 'DIR'), expected)
      return true
    })
  })
}

test('without TLS nothing of TLS is read', async () => {
  await using webhook = await webhookDouble()
  const cluster = { server: 'http://x/y', 'certificate-authority-data': 'eA==', 'insecure-skip-tls-verify': true }
  const file = webhook.file('plain.kubeconfig', config({ clusters: [{ name: 'k', cluster }] }))
  const { url, tls } = await readWebhookKubeconfig(file)
  assert.deepEqual([url.href, tls], ['http://x/y', {}])
})

test('a webhook that is silent, endless, huge, or packs much into little costs no more than its limits', async () => {
  await using webhook = await webhookDouble()
  using one = await caller(webhook)
  const outcome = (timeoutMs: number) =>
    one.post('{}', { timeoutMs }).then(
      () => 'answered',
      (error) => (error instanceof WebhookCallError ? `${error.code}: ${error.message.replace(webhook.url, 'URL')}` : String(error)),
    )
  webhook.handler = () => {}
  assert.equal(await outcome(100), 'deadline: Post "URL/ask?timeout=0.1s": context deadline exceeded')
  webhook.handler = (_, response) => void response.write('begun')
  assert.match(await outcome(100), /^deadline: /)
  webhook.handler = (_, response) => response.end(Buffer.alloc(1 << 20, 'x'))
  assert.match(await outcome(20_000), /the answer is longer than 524290 bytes/)
  webhook.handler = (_, response) => {
    response.setHeader('content-encoding', 'gzip')
    response.end(gzipSync(Buffer.alloc(1 << 20, 'x')))
  }
  assert.match(await outcome(20_000), /the answer is longer than 524290 bytes/)
  webhook.handler = (_, response) => void response.socket?.destroy()
  assert.match(await outcome(20_000), /EOF$/)
})

test('a call is cancelled when its client has disconnected', async () => {
  await using webhook = await webhookDouble(() => {})
  using one = await caller(webhook)
  const gone = new AbortController()
  const requested = one.post('{}', { signal: gone.signal })
  gone.abort()
  await assert.rejects(requested, (error) => error instanceof WebhookCallError && error.code === 'aborted')
})

test('a webhook call is retried as often as Kubernetes does', async () => {
  const clock = new VirtualClock()
  const requested = async (status: number, headers: Record<string, string> = {}, body = 'no') => {
    const calls: number[] = []
    const startMs = clock.now()
    const one = {
      url: '',
      post: async () => {
        calls.push(clock.now() - startMs)
        return { status, headers, body: Buffer.from(body) }
      },
      [Symbol.dispose]() {},
    }
    const outcome = callWithRetries(one, '{}', { clock, random: seededRandom(1), retries: WEBHOOK_RETRIES })
    await clock.advance(600_000)
    assert.ok(calls.every((atMs) => atMs <= 60_000))
    return [calls.length, (await outcome).kind]
  }
  for (const status of [429, 500, 502, 504]) assert.deepEqual(await requested(status), [5, 'refused'], String(status))
  for (const status of [400, 401, 403, 404, 409, 418, 503]) assert.deepEqual(await requested(status), [1, 'refused'], String(status))
  assert.deepEqual(await requested(200), [1, 'answered'])
  const status = (reason: string) => JSON.stringify({ kind: 'Status', apiVersion: 'v1', message: 'm', reason })
  // A known reason decides about a retry; for an unknown one the code does.
  assert.deepEqual(await requested(500, {}, status('Forbidden')), [1, 'refused'])
  assert.deepEqual(await requested(500, {}, status('Mine')), [5, 'refused'])
  // With Retry-After of half a minute it retries for a minute in total; then with its own delays.
  assert.deepEqual(await requested(503, { 'retry-after': '25' }), [7, 'refused'])
})
