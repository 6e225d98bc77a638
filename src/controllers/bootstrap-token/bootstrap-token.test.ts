import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp, VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { CONFIG_MAPS, SECRETS } from '../../resources/refs.ts'
import type { ConfigMap, Secret } from '../../resources/types/core.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { sketch } from '../frame/sketch.double.ts'
import { signedData } from './sign.ts'
import { expiresAtMs } from './token.ts'

const NOW = Date.UTC(2026, 0, 1)
const KUBECONFIG = 'apiVersion: v1\nkind: Config\n'
/** What kube-controller-manager 1.36.3 wrote for that text, this id and this secret. */
const RECORDED = 'eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..vH_kT4yiol-nrAWgjfCYqvum5wsKETXe0S7OOp1VgnE'

const WHOLE = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-signing': 'true',
  'usage-bootstrap-authentication': 'true',
}
const token = (data: Record<string, string> = {}, metadata: Record<string, string> = {}): Secret =>
  sketch({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system', ...metadata },
    data: Object.fromEntries(Object.entries({ ...WHOLE, ...data }).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  })
const info = (data: Record<string, string> = { kubeconfig: KUBECONFIG }): ConfigMap =>
  sketch({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-info', namespace: 'kube-public' },
    data,
  })

test('the text is signed as Kubernetes signs it; what others wrote stays, what no token has signed goes', () => {
  const others = { kubeconfig: KUBECONFIG, other: 'x' }
  const whole = { ...others, 'jws-kubeconfig-abcdef': RECORDED }
  assert.deepEqual(signedData(info({ ...others, 'jws-kubeconfig-zzzzzz': 'old' }), [token()], NOW), whole)
  assert.equal(signedData(info(whole), [token()], NOW), undefined)
  assert.deepEqual(signedData(info(whole), [], NOW), others)
  assert.equal(signedData(info(others), [], NOW), undefined)
  assert.equal(signedData(info({ other: 'x' }), [token()], NOW), undefined, 'nothing to sign')
  assert.equal(signedData({ ...info(), data: {} }, [token()], NOW), undefined, 'no data at all')
  assert.notDeepEqual(signedData(info({ ...whole, kubeconfig: 'another' }), [token()], NOW), undefined, 'another text')
})

test('only a token that is whole, meant for it and not at its end signs', () => {
  const future = timestamp(NOW + 1000)
  for (const [what, secret, signs] of [
    ['whole', token(), true],
    ['with an end to come', token({ expiration: future }), true],
    ['ended', token({ expiration: timestamp(NOW) }), false],
    ['with an end that is no time', token({ expiration: 'tomorrow' }), false],
    ['not meant for it', token({ 'usage-bootstrap-signing': 'True' }), false],
    ['of another id than its name', token({ 'token-id': 'abcdeg' }), false],
    ['of another name', token({}, { name: 'abcdef' }), false],
    ['elsewhere', token({}, { namespace: 'default' }), false],
    ['without its secret', token({ 'token-secret': '' }), false],
    ['of another type', { ...token(), type: 'Opaque' }, false],
    ['without data', { ...token(), data: {} }, false],
  ] as const)
    assert.equal(signedData(info(), [secret], NOW) !== undefined, signs, what)
})

for (const [text, expected] of [
  ['', undefined],
  ['2026-01-01T01:00:00+01:00', NOW],
  ['2026-01-01T00:00:00.5Z', NOW + 500],
  ['2026-01-01', Number.NEGATIVE_INFINITY],
  ['2026-02-30T00:00:00Z', Number.NEGATIVE_INFINITY],
  ['1767225600', Number.NEGATIVE_INFINITY],
] as const)
  test(`the end of a token: ${JSON.stringify(text)}`, () => assert.equal(expiresAtMs(token({ expiration: text })), expected, text))

test('in a cluster: signed when a token comes, signed anew with another text, and cleaned up when its time is over', async () => {
  const clock = new VirtualClock(NOW)
  await using cluster = await startCluster({ parts: ['server', 'controllers'] }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const place = { ...CONFIG_MAPS, namespace: 'kube-public', name: 'cluster-info' }
  const secrets = { ...SECRETS, namespace: 'kube-system' }
  const keys = async () => Object.keys((await client.get(place)).data ?? {}).sort()
  const tokens = async () =>
    (await client.list(secrets)).items.filter((s) => s.type === 'bootstrap.kubernetes.io/token').map((s) => s.metadata.name)
  await client.create({ ...CONFIG_MAPS, namespace: 'kube-public' }, info())
  await client.create(secrets, token({ expiration: timestamp(NOW + 3600_000) }))
  const lasting = { 'token-id': 'fedcba', expiration: '' }
  await client.create(secrets, token(lasting, { name: 'bootstrap-token-fedcba' }))
  await clock.advance(2_000)
  assert.deepEqual(await keys(), ['jws-kubeconfig-abcdef', 'jws-kubeconfig-fedcba', 'kubeconfig'])
  assert.equal((await client.get(place)).data?.['jws-kubeconfig-abcdef'], RECORDED)

  await client.patch(place, 'merge', { data: { kubeconfig: 'another' } })
  await clock.advance(2_000)
  assert.notEqual((await client.get(place)).data?.['jws-kubeconfig-abcdef'], RECORDED)

  await clock.advance(3590_000)
  assert.deepEqual(await tokens(), ['bootstrap-token-abcdef', 'bootstrap-token-fedcba'])
  await clock.advance(10_000)
  assert.deepEqual(await tokens(), ['bootstrap-token-fedcba'])
  assert.deepEqual(await keys(), ['jws-kubeconfig-fedcba', 'kubeconfig'])

  await client.delete({ ...secrets, name: 'bootstrap-token-fedcba' })
  await clock.advance(2_000)
  assert.deepEqual(await keys(), ['kubeconfig'])
})
