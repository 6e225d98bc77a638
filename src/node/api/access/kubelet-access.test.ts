import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { createKubeletAccess, DEFAULT_ACCESS } from './kubelet-access.ts'

/** An API server that knows the token `good` and allows whatever `allowed` says. */
function reviewer(answer: (object: KubeObject) => object | Promise<object>) {
  const asked: string[] = []
  const client = {
    async create(target: { resource: string }, object: KubeObject) {
      asked.push(
        target.resource === 'tokenreviews'
          ? `token ${object.spec.token}`
          : `may ${object.spec.user} ${object.spec.resourceAttributes.subresource}`,
      )
      return { ...object, status: await answer(object) }
    },
  } as unknown as Client
  return { client, asked }
}

const open = (answer: (object: KubeObject) => object | Promise<object>, config = {}) => {
  const clock = new VirtualClock()
  const { client, asked } = reviewer(answer)
  return { clock, asked, access: createKubeletAccess({ ...DEFAULT_ACCESS, ...config }, { nodeName: 'n', client, clock }) }
}
const tokens = (object: KubeObject) =>
  object.spec.token === 'good' ? { authenticated: true, user: { username: 'eve', groups: ['g'] } } : {}

test('a token is asked about once, until its time is over; requests at once share the question', async () => {
  const { access, asked, clock } = open(tokens)
  const both = await Promise.all([
    access.authenticate({ authorization: 'Bearer good' }),
    access.authenticate({ authorization: 'bearer good' }),
  ])
  assert.deepEqual(
    both.map((u) => [u?.name, u?.groups]),
    [
      ['eve', ['g', 'system:authenticated']],
      ['eve', ['g', 'system:authenticated']],
    ],
  )
  await access.authenticate({ authorization: 'Bearer good' })
  assert.deepEqual(asked, ['token good'])
  await clock.advance(DEFAULT_ACCESS.tokenTtlMs + 1)
  await access.authenticate({ authorization: 'Bearer good' })
  assert.deepEqual(asked, ['token good', 'token good'])
})

test('who brings proof that proves nothing is not anonymous', async () => {
  const { access } = open(tokens, { anonymous: true })
  const names = [
    {},
    { authorization: 'Bearer bad' },
    { wrongCertificate: true },
    { authorization: 'Basic YTpi' },
    { wrongCertificate: true, authorization: 'Bearer good' },
  ]
  assert.deepEqual(await Promise.all(names.map(async (c) => (await access.authenticate(c))?.name)), [
    'system:anonymous',
    undefined,
    undefined,
    'system:anonymous',
    'eve',
  ])
})

test('each right is asked about in turn, and refusals are forgotten sooner than permissions', async () => {
  const { access, asked, clock } = open((o) => ({ allowed: o.spec.resourceAttributes.subresource === 'proxy' }))
  const user = { name: 'eve', groups: [] }
  const both = { verb: 'get', subresources: ['pods', 'proxy'] }
  assert.equal((await access.authorize(user, both)).kind, 'allowed')
  assert.equal((await access.authorize(user, both)).kind, 'allowed')
  assert.deepEqual(asked, ['may eve pods', 'may eve proxy'])
  await clock.advance(DEFAULT_ACCESS.deniedTtlMs + 1)
  assert.equal((await access.authorize(user, both)).kind, 'allowed')
  assert.deepEqual(asked, ['may eve pods', 'may eve proxy', 'may eve pods'])
  assert.equal((await access.authorize(user, { verb: 'get', subresources: ['stats'] })).kind, 'denied')
})

test('an API server that fails, or is silent, opens nothing and closes nothing for later', async () => {
  let answer: () => object | Promise<object> = () => Promise.reject(new Error('down'))
  const { access, clock } = open(() => answer())
  const user = { name: 'eve', groups: [] }
  const stats = { verb: 'get', subresources: ['stats'] }
  assert.deepEqual(await access.authorize(user, stats), { kind: 'failed', subresource: 'stats' })
  answer = () => new Promise(() => {})
  const waiting = access.authorize(user, stats)
  await clock.advance(60_000)
  assert.deepEqual(await waiting, { kind: 'failed', subresource: 'stats' })
  answer = () => ({ allowed: true })
  assert.equal((await access.authorize(user, stats)).kind, 'allowed')
})
