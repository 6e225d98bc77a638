import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceAttributes } from '../../../../apiserver/identity/authorizer.ts'
import type { UserInfo } from '../../../../machinery/resource/user.ts'
import { abacAuthorizer, abacRules } from './abac-authorizer.ts'
import { readPolicies } from './policy-file.ts'

const line = (spec: object) => JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec })

/** `ann,devs get pods default` or `ann get /version`; groups after commas. */
function requested(text: string) {
  const [who = '', verb = '', what = '', namespace = ''] = text.split(' ')
  const [name = '', ...groups] = who.split(',')
  const user: UserInfo = { name, groups: name === 'nobody' ? ['system:unauthenticated'] : [...groups, 'system:authenticated'] }
  if (what.startsWith('/')) return { ...resourceAttributes({ user, verb, resource: '' }), resourceRequest: false, path: what }
  const [resource = '', group = ''] = what.split('.')
  return resourceAttributes({ user, verb, resource, group, namespace })
}

const table: readonly (readonly [rule: string, policy: string, question: string, allowed: boolean])[] = [
  ['a user may do what is named', line({ user: 'ann', namespace: 'default', resource: 'pods' }), 'ann create pods default', true],
  ['and nothing elsewhere', line({ user: 'ann', namespace: 'default', resource: 'pods' }), 'ann create pods other', false],
  ['nor in another group of resources', line({ user: 'ann', namespace: '*', resource: '*' }), 'ann get deployments.apps a', false],
  ['readonly is get, list and watch', line({ user: 'ann', namespace: '*', resource: 'pods', readonly: true }), 'ann watch pods a', true],
  ['and no writing', line({ user: 'ann', namespace: '*', resource: 'pods', readonly: true }), 'ann patch pods a', false],
  ['nor proxies', line({ user: 'ann', nonResourcePath: '*', readonly: true }), 'ann post /x', false],
  ['a policy of nobody', line({ namespace: '*', resource: '*' }), 'ann get pods a', false],
  ['a group', line({ group: 'devs', namespace: '*', resource: 'pods' }), 'ann,devs get pods a', true],
  ['a user and a group must both fit', line({ user: 'ann', group: 'devs', namespace: '*', resource: 'pods' }), 'ann get pods a', false],
  ['* is everybody who is known', line({ user: '*', namespace: '*', resource: 'pods' }), 'bob get pods a', true],
  ['and not those who are not', line({ user: '*', namespace: '*', resource: 'pods' }), 'nobody get pods a', false],
  ['a path', line({ user: 'ann', nonResourcePath: '/version' }), 'ann get /version', true],
  ['exactly', line({ user: 'ann', nonResourcePath: '/version' }), 'ann get /version/', false],
  ['all below a path', line({ user: 'ann', nonResourcePath: '/foo/*' }), 'ann get /foo/bar', true],
  ['a resource is no path', line({ user: 'ann', nonResourcePath: '*' }), 'ann get pods a', false],
  ['an old line leaves open what it does not name', '{"user":"ann"}', 'ann delete deployments.apps a', true],
  ['paths too', '{"user":"ann"}', 'ann get /metrics', true],
  ['unless it names a resource', '{"user":"ann","resource":"pods"}', 'ann get /metrics', false],
  ['an empty old line is for all who are known', '{"readonly":true}', 'bob list secrets', true],
  ['and nobody else', '{"readonly":true}', 'nobody list secrets', false],
]

for (const [rule, policy, question, allowed] of table) {
  test(`ABAC: ${rule}`, async () => {
    const decision = await abacAuthorizer(readPolicies(`# a comment\n\n${policy}\r\n`, 'p')).authorize(requested(question))
    assert.deepEqual(decision, allowed ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason: 'No policy matched.' })
  })
}

const broken: readonly (readonly [text: string, says: string])[] = [
  ['{"x":', 'error reading policy file p, line 1: {"x":: couldn\'t get version/kind; json parse error: unexpected end of JSON input'],
  [
    '\n{"apiVersion":"abac.authorization.kubernetes.io/v9","kind":"Policy"}',
    'error reading policy file p, line 2: {"apiVersion":"abac.authorization.kubernetes.io/v9","kind":"Policy"}: no kind "Policy" is registered for version "abac.authorization.kubernetes.io/v9" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    '{"user":1}',
    'error reading policy file p, line 1: {"user":1}: json: cannot unmarshal number into Go struct field Policy.user of type string',
  ],
  [`{"user":"${'x'.repeat(70_000)}"}`, 'error reading policy file p: bufio.Scanner: token too long'],
]

for (const [text, says] of broken) {
  test(`a policy file that is refused: ${text.slice(0, 30)}`, () => assert.throws(() => readPolicies(text, 'p'), { message: says }))
}

test('ABAC lists what a user may do in a namespace', () => {
  const policies = readPolicies(
    [
      line({ user: 'ann', namespace: 'a', resource: 'pods', readonly: true }),
      line({ user: 'ann', namespace: 'b', resource: 'secrets' }),
      line({ user: 'ann', namespace: '*', nonResourcePath: '/x' }),
    ].join('\n'),
    'p',
  )
  assert.deepEqual(abacRules(policies)({ name: 'ann', groups: [] }, 'a'), {
    resourceRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/x'] }],
    incomplete: false,
    errors: [],
  })
})
