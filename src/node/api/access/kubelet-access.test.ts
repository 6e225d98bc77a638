import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import type { TokenReview } from '../../../resources/types/authentication.ts'
import type { SubjectAccessReview } from '../../../resources/types/authorization.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { createKubeletAccess, DEFAULT_ACCESS } from './kubelet-access.ts'

type KubeletResponse = (review: TokenReview | SubjectAccessReview) => object | Promise<object>

/** An API server that accepts the token `good` and authorizes as `allowed` says. */
function reviewer(answer: KubeletResponse) {
  const requested: string[] = []
  const client = {
    async create(_: object, review: TokenReview | SubjectAccessReview) {
      requested.push(
        review.kind === 'TokenReview'
          ? `token ${review.spec.token}`
          : `may ${review.spec?.user} ${review.spec?.resourceAttributes?.subresource}`,
      )
      return { ...review, status: await answer(review) }
    },
  } as unknown as Client
  return { client, requested }
}

const open = (answer: KubeletResponse, config = {}) => {
  const clock = new VirtualClock()
  const { client, requested } = reviewer(answer)
  return { clock, requested, access: createKubeletAccess({ ...DEFAULT_ACCESS, ...config }, { nodeName: 'n', client, clock }) }
}
const tokens: KubeletResponse = (review) =>
  review.kind === 'TokenReview' && review.spec.token === 'good' ? { authenticated: true, user: { username: 'eve', groups: ['g'] } } : {}

test('a token is reviewed once until it expires; concurrent requests share the review', async () => {
  const { access, requested, clock } = open(tokens)
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
  assert.deepEqual(requested, ['token good'])
  await clock.advance(DEFAULT_ACCESS.tokenTtlMs + 1)
  await access.authenticate({ authorization: 'Bearer good' })
  assert.deepEqual(requested, ['token good', 'token good'])
})

test('a client with an untrusted certificate is not anonymous', async () => {
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

test('each subresource is checked in turn, and denials are cached for a shorter time than permissions', async () => {
  const { access, requested, clock } = open((o) => ({
    allowed: o.kind === 'SubjectAccessReview' && o.spec?.resourceAttributes?.subresource === 'proxy',
  }))
  const user = { name: 'eve', groups: [] }
  const both = { verb: 'get', subresources: ['pods', 'proxy'] }
  assert.equal((await access.authorize(user, both)).kind, 'allowed')
  assert.equal((await access.authorize(user, both)).kind, 'allowed')
  assert.deepEqual(requested, ['may eve pods', 'may eve proxy'])
  await clock.advance(DEFAULT_ACCESS.deniedTtlMs + 1)
  assert.equal((await access.authorize(user, both)).kind, 'allowed')
  assert.deepEqual(requested, ['may eve pods', 'may eve proxy', 'may eve pods'])
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
