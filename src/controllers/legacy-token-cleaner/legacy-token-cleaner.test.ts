import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp, VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { dayOf } from '../../machinery/resource/legacy-token-labels.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { PODS, SECRETS, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { TokenReview } from '../../resources/types/authentication.ts'
import type { ConfigMap, Secret, ServiceAccount } from '../../resources/types/core.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { sketch } from '../frame/sketch.double.ts'
import { isTrackedLongEnough, planLegacyToken, secretsOf } from './plan.ts'

const NOW = Date.UTC(2026, 5, 15, 12)
const DAY = 86_400_000
const time = { nowMs: NOW, periodMs: 10 * DAY }
const ago = (days: number) => dayOf(NOW - days * DAY)

const account: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'bot', namespace: 'n', uid: 'u' },
  secrets: [{ name: 't' }],
}
const secret = (labels: Record<string, string> = {}, metadata: object = {}): Secret =>
  sketch({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: {
      name: 't',
      namespace: 'n',
      creationTimestamp: timestamp(NOW - 11 * DAY),
      annotations: { 'kubernetes.io/service-account.name': 'bot', 'kubernetes.io/service-account.uid': 'u' },
      labels,
      ...metadata,
    },
  })
const LAST = 'kubernetes.io/legacy-token-last-used'
const INVALID = 'kubernetes.io/legacy-token-invalid-since'

for (const [what, object, around, expected] of [
  ['never used', secret(), {}, 'invalidate'],
  ['used long ago', secret({ [LAST]: ago(11) }), {}, 'invalidate'],
  ['used on the first day that counts', secret({ [LAST]: ago(10) }), {}, 'keep'],
  ['used on a day that is none', secret({ [LAST]: '2026-02-30' }), {}, 'keep'],
  ['used at some time', secret({ [LAST]: 'yes' }), {}, 'keep'],
  ['young', secret({}, { creationTimestamp: timestamp(NOW - 10 * DAY) }), {}, 'keep'],
  ['on its way out', secret({}, { deletionTimestamp: timestamp(NOW) }), {}, 'keep'],
  ['of another type', { ...secret(), type: 'Opaque' }, {}, 'keep'],
  ['in a pod', secret(), { mounted: () => true }, 'keep'],
  ['of no account', secret(), { account: undefined }, 'keep'],
  ['that somebody made', secret(), { account: { ...account, secrets: [] } }, 'keep'],
  ['of an account before that one', secret(), { account: { ...account, metadata: { ...account.metadata, uid: 'v' } } }, 'keep'],
  ['without a uid', secret({}, { annotations: {} }), {}, 'invalidate'],
  ['refused for long', secret({ [INVALID]: ago(11) }), {}, 'delete'],
  ['refused not long ago', secret({ [INVALID]: ago(10) }), {}, 'keep'],
  ['refused since a day that is none', secret({ [INVALID]: 'x' }), {}, 'invalidate'],
  ['refused for long, and used since', secret({ [INVALID]: ago(11), [LAST]: ago(1) }), {}, 'keep'],
] as const)
  test(`a token of no use to anybody is refused first, and goes later: ${what}`, () =>
    assert.equal(planLegacyToken(object, { account, mounted: () => false, ...around }, time), expected, what))

test('without uses written down for long enough nothing is known', () => {
  const tracking = (since?: string): ConfigMap =>
    sketch({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {},
      ...(since && { data: { since } }),
    })
  for (const [since, expected] of [
    [ago(12), true],
    [ago(11), true],
    [ago(10), false],
    ['x', false],
    [undefined, false],
  ] as const)
    assert.equal(isTrackedLongEnough(tracking(since), time), expected, `${since}`)
  assert.equal(isTrackedLongEnough(undefined, time), false)
})

test('the secrets that pods name, wherever they do', () => {
  const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'variable', key: 'k' } } }]
  const spec: JsonObject = {
    serviceAccountName: 'no',
    nodeSelector: { secretName: 'no' },
    imagePullSecrets: [{ name: 'images' }],
    containers: [{ name: 'no', env, envFrom: [{ secretRef: { name: 'variables' } }, { configMapRef: { name: 'no' } }] }],
    initContainers: [{ name: 'no', envFrom: [{ secretRef: { name: 'first' } }] }],
    volumes: [
      { name: 'no', secret: { secretName: 'volume' } },
      { name: 'no', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'no' } }] } },
      { name: 'no', csi: { driver: 'no', nodePublishSecretRef: { name: 'driver' } } },
      { name: 'no', azureFile: { secretName: 'azure', shareName: 'no' } },
      { name: 'no', configMap: { name: 'no' } },
    ],
  }
  const found = [...secretsOf([sketch({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'no' }, spec })])].sort()
  assert.deepEqual(found, ['azure', 'driver', 'first', 'images', 'projected', 'variable', 'variables', 'volume'])
})

const YEAR = 367 * DAY
const place = (name?: string) => ({ ...SECRETS, namespace: 'default', ...(name === undefined ? {} : { name }) })
const labelsOf = async (client: Client, name: string) => (await client.get(place(name))).metadata.labels ?? {}

async function review(client: Client, name: string) {
  const token = Buffer.from((await client.get(place(name))).data?.token ?? '', 'base64').toString()
  const target: ResourceRef<TokenReview> = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' }
  const body: TokenReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } }
  return (await client.create(target, body)).status
}

test('token use is recorded, unused tokens are invalidated, and deleted a year later', async () => {
  const start = { parts: ['server', 'controllers'] } as const
  const born = new VirtualClock(NOW)
  await using young = await startCluster(start, { clock: born, random: seededRandom(1) })
  const names = ['forgotten', 'in-pod', 'made', 'used']
  const client = young.client()
  await client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'default' },
    { ...account, metadata: { name: 'bot' }, secrets: ['forgotten', 'in-pod', 'used'].map((name) => ({ name })) },
  )
  for (const name of names)
    await client.create(place(), secret({}, { name, namespace: 'default', annotations: { 'kubernetes.io/service-account.name': 'bot' } }))
  const volumes = [{ name: 'v', secret: { secretName: 'in-pod' } }]
  const spec = { containers: [{ name: 'c', image: 'i' }], volumes }
  await client.create({ ...PODS, namespace: 'default' }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec })
  await born.advance(10_000)
  for (const name of names) assert.deepEqual(await labelsOf(client, name), {}, name)
  assert.equal((await review(client, 'used'))?.user?.username, 'system:serviceaccount:default:bot')
  await born.advance(1_000)
  assert.deepEqual(await labelsOf(client, 'used'), { [LAST]: dayOf(NOW) })

  // A year is not waited for: the same cluster goes on by another clock.
  const later = new VirtualClock(NOW + YEAR)
  const server = { parts: ['server'] } as const
  await using still = await young.fork(server, { clock: later })
  await review(still.client(), 'used')
  await later.advance(1_000)
  await using old = await still.fork(start, { clock: later })
  await later.advance(60_000)
  const then = dayOf(NOW + YEAR)
  const all = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await labelsOf(old.client(), name)])))
  assert.deepEqual(all, { forgotten: { [INVALID]: then }, 'in-pod': {}, made: {}, used: { [LAST]: then } })
  assert.match((await review(old.client(), 'used'))?.user?.username ?? '', /bot/)

  const last = new VirtualClock(NOW + 2 * YEAR)
  await using ancient = await old.fork(start, { clock: last })
  await last.advance(60_000)
  const gone = await ancient
    .client()
    .get(place('forgotten'))
    .then(
      () => false,
      (error) => isStatus(error, 'NotFound'),
    )
  assert.equal(gone, true)

  const refused = await review(old.client(), 'forgotten')
  assert.match(refused?.error ?? '', /the token in secret default\/forgotten for service account default\/bot has been marked invalid/)
  await later.advance(1_000)
  assert.equal((await labelsOf(old.client(), 'forgotten'))[LAST], then, 'somebody missed it: it stays')
})
