import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceAttributes } from '../apiserver/identity/authorizer.ts'
import { VirtualClock } from '../base/clock.ts'
import type { KubeObject } from '../machinery/object.ts'
import { ANONYMOUS, type UserInfo } from '../machinery/resource/user.ts'
import type { Client } from '../sdk/client/client.ts'
import { delegatedAuthorizer } from './delegated-auth.ts'

const ANN: UserInfo = { name: 'ann', groups: ['dev'] }
const ROOT: UserInfo = { name: 'root', groups: ['system:masters'] }

/** A cluster that answers each SubjectAccessReview with the same status; and what it was asked. */
function cluster(status: object | Error) {
  const requested: KubeObject[] = []
  const create = async (_: unknown, review: KubeObject) => {
    requested.push(review)
    if (status instanceof Error) throw status
    return { ...review, status }
  }
  return { client: Object.assign({} as Partial<Client>, { create }) as Client, requested }
}

const get = (user: UserInfo) => resourceAttributes({ user, verb: 'get', group: 'g', resource: 'r', namespace: 'n', name: 'x' })

const verdicts: readonly (readonly [rule: string, status: object, verdict: string])[] = [
  ['allowed', { allowed: true, reason: 'a role' }, 'allow'],
  ['denied', { allowed: false, denied: true }, 'deny'],
  ['neither', { allowed: false }, 'no-opinion'],
  ['nothing', {}, 'no-opinion'],
]
for (const [rule, status, verdict] of verdicts)
  test(`a review that answers ${rule} is ${verdict}`, async () => {
    const authorizer = delegatedAuthorizer(cluster(status).client, new VirtualClock())
    assert.equal((await authorizer.authorize(get(ANN))).verdict, verdict)
  })

test('system:masters may do everything without a review', async () => {
  const { client, requested } = cluster({ allowed: false })
  assert.equal((await delegatedAuthorizer(client, new VirtualClock()).authorize(get(ROOT))).verdict, 'allow')
  assert.deepEqual(requested, [])
})

test('the review names the user and what is to be done', async () => {
  const { client, requested } = cluster({ allowed: true })
  await delegatedAuthorizer(client, new VirtualClock()).authorize(get(ANN))
  assert.deepEqual(requested[0]?.spec, {
    user: 'ann',
    groups: ['dev'],
    resourceAttributes: { verb: 'get', group: 'g', version: '*', resource: 'r', subresource: '', namespace: 'n', name: 'x' },
  })
})

test('a result is cached for ten seconds', async () => {
  const clock = new VirtualClock()
  const { client, requested } = cluster({ allowed: true })
  const authorizer = delegatedAuthorizer(client, clock)
  for (const [waitMs, count] of [
    [0, 1],
    [9_999, 1],
    [1, 2],
  ] as const) {
    await clock.advance(waitMs)
    await authorizer.authorize(get(ANN))
    assert.equal(requested.length, count, `after ${waitMs} ms more`)
  }
})

test('equal concurrent questions share one request, others have their own', async () => {
  const { client, requested } = cluster({ allowed: true })
  const authorizer = delegatedAuthorizer(client, new VirtualClock())
  await Promise.all([authorizer.authorize(get(ANN)), authorizer.authorize(get(ANN)), authorizer.authorize(get({ ...ANN, name: 'bob' }))])
  assert.equal(requested.length, 2)
})

test('a failure is not kept', async () => {
  const { client, requested } = cluster(new Error('away'))
  const authorizer = delegatedAuthorizer(client, new VirtualClock())
  for (let i = 0; i < 2; i++) await assert.rejects(Promise.resolve(authorizer.authorize(get(ANN))), /away/)
  assert.equal(requested.length, 2)
})

test('without a cluster the front proxy’s users may do everything, and others nothing', async () => {
  const authorizer = delegatedAuthorizer(undefined, new VirtualClock())
  assert.equal((await authorizer.authorize(get(ANN))).verdict, 'allow')
  assert.equal((await authorizer.authorize(get(ANONYMOUS))).verdict, 'no-opinion')
})
