import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { type Authorizer, resourceAttributes } from './authorizer.ts'
import { createImpersonation, impersonationWish } from './impersonation.ts'

/** Allows what is listed: `verb group/resource/name`, or `verb group/resource/*`. */
const allowing = (...allowed: string[]): Authorizer => ({
  authorize(a) {
    const resource = a.subresource === '' ? a.resource : `${a.resource}:${a.subresource}`
    const yes = allowed.includes(`${a.verb} ${a.group}/${resource}/${a.name}`) || allowed.includes(`${a.verb} ${a.group}/${resource}/*`)
    return { verdict: yes ? 'allow' : 'no-opinion', reason: '' }
  },
})

const asking: UserInfo = { name: 'me', groups: [] }
const request = resourceAttributes({ user: asking, verb: 'list', resource: 'pods', namespace: 'ns' })

async function outcome(authorizer: Authorizer, headers: Record<string, string | string[]>, user = asking): Promise<string> {
  const wish = impersonationWish(headers)
  if (wish === undefined) return 'nobody'
  try {
    const { user: acting } = await createImpersonation(authorizer).impersonate(wish, { ...request, user })
    return `${acting.name}: ${acting.groups.join(' ')}`
  } catch (error) {
    if (!isStatus(error)) throw error
    return (error.message.split(' is forbidden: ')[1] ?? error.message).replace(' in API group "" in the namespace "ns"', ' here')
  }
}

const cases: readonly (readonly [string, Record<string, string | string[]>, readonly string[], string])[] = [
  ['no headers, nobody else', {}, [], 'nobody'],
  ['the old way', { 'impersonate-user': 'bob' }, ['impersonate /users/bob'], 'bob: system:authenticated'],
  [
    'groups are asked for one by one',
    { 'impersonate-user': 'bob', 'impersonate-group': ['g', 'h'] },
    ['impersonate /users/bob', 'impersonate /groups/g'],
    'User "me" cannot impersonate-on:user-info:list resource "pods" here',
  ],
  [
    'an account without groups gets its own',
    { 'impersonate-user': 'system:serviceaccount:a:b' },
    ['impersonate /serviceaccounts/b'],
    'system:serviceaccount:a:b: system:serviceaccounts system:serviceaccounts:a system:authenticated',
  ],
  [
    'constrained: both rights are needed',
    { 'impersonate-user': 'bob' },
    ['impersonate-on:user-info:list /pods/'],
    'User "me" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
  ],
  [
    'constrained: both rights are there',
    { 'impersonate-user': 'bob' },
    ['impersonate-on:user-info:list /pods/', 'impersonate:user-info authentication.k8s.io/users/bob'],
    'bob: system:authenticated',
  ],
  [
    'constrained: a node has its group',
    { 'impersonate-user': 'system:node:n1' },
    ['impersonate-on:arbitrary-node:list /pods/', 'impersonate:arbitrary-node authentication.k8s.io/nodes/n1'],
    'system:node:n1: system:nodes system:authenticated',
  ],
  [
    'constrained: never the masters',
    { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' },
    ['impersonate-on:user-info:list /pods/', 'impersonate:user-info authentication.k8s.io/users/*'],
    'User "me" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
  ],
  [
    'nothing is allowed',
    { 'impersonate-user': 'system:node:x' },
    [],
    'User "me" cannot impersonate-on:arbitrary-node:list resource "pods" here',
  ],
  ['nobody in person', { 'impersonate-user': 'system:anonymous' }, ['impersonate /users/*'], 'system:anonymous: system:unauthenticated'],
]

for (const [name, headers, allowed, expected] of cases) {
  test(name, async () => assert.equal(await outcome(allowing(...allowed), headers), expected))
}

for (const [key, expected] of [
  [
    'scopes',
    'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")',
  ],
  ['example.com/Scopes', 'impersonating a non-lowercase key in extra is not allowed: "example.com/Scopes"'],
] as const) {
  test(`constrained: never an extra by the key ${key}`, async () => {
    const impersonation = createImpersonation(
      allowing('impersonate-on:user-info:list /pods/', 'impersonate:user-info authentication.k8s.io/users/*'),
    )
    await assert.rejects(
      impersonation.impersonate({ name: 'bob', groups: [], extra: { [key]: ['x'] } }, request),
      (e) => isStatus(e) && e.message.endsWith(expected),
    )
  })
}

test('a group without a user is a bad request', () => {
  assert.throws(
    () => impersonationWish({ 'impersonate-group': 'g' }),
    (e) => isStatus(e, 'BadRequest') && e.message.endsWith('without impersonating a user name'),
  )
})

test('extras come with decoded keys', () => {
  assert.deepEqual(
    { ...impersonationWish({ 'impersonate-user': 'u', 'impersonate-extra-a%2fb': ['1', '2'] })?.extra },
    { 'a/b': ['1', '2'] },
  )
})

test('the way that last succeeded is tried first, so its refusal is the answer', async () => {
  const impersonation = createImpersonation(allowing('impersonate /users/bob'))
  await impersonation.impersonate({ name: 'bob', groups: [] }, request)
  await assert.rejects(
    impersonation.impersonate({ name: 'eve', groups: [] }, request),
    (e) => isStatus(e) && e.message.startsWith('users "eve" is forbidden: User "me" cannot impersonate resource'),
  )
})

test('the audit event names the constrained verb that allowed it, and not the old one', async () => {
  const wish = { name: 'bob', groups: [] }
  const allowing = (verbs: readonly string[]): Authorizer => ({
    authorize: ({ verb }) => (verbs.includes(verb) ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason: '' }),
  })
  const constrained = allowing(['impersonate-on:user-info:list', 'impersonate:user-info'])
  assert.equal((await createImpersonation(constrained).impersonate(wish, request)).constraint, 'impersonate:user-info')
  assert.equal((await createImpersonation(allowing(['impersonate'])).impersonate(wish, request)).constraint, undefined)
})

test('a failed check of impersonation is reported', async () => {
  const failing: Authorizer = { authorize: () => ({ verdict: 'no-opinion', reason: 'who knows', error: 'it broke' }) }
  await assert.rejects(createImpersonation(failing).impersonate({ name: 'bob', groups: [] }, request), /: it broke: who knows$/)
})
