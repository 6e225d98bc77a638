import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attributes } from '../identity/authorizer.ts'
import { type FlowSchema, flowName, inOrder, isFlowSchema, matchFlow } from './match-flow.ts'

type Rules = NonNullable<NonNullable<FlowSchema['spec']>['rules']>[number]

const schema = (name: string, spec: NonNullable<FlowSchema['spec']> = {}): FlowSchema => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name },
  spec,
})
const request = (more: Partial<Attributes> = {}, user = 'alice'): Attributes => ({
  user: { name: user, groups: ['devs'] },
  verb: 'get',
  resourceRequest: true,
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'shop',
  name: 'web',
  path: '/api/v1/namespaces/shop/pods/web',
  ...more,
})
const PATH = request({ resourceRequest: false, path: '/healthz/etcd' })
const ROBOT = request({}, 'system:serviceaccount:shop:robot')

const ANY = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
const user = (name: string) => [{ kind: 'User', user: { name } }]
const group = (name: string) => [{ kind: 'Group', group: { name } }]
const account = (namespace: string, name: string) => [{ kind: 'ServiceAccount', serviceAccount: { namespace, name } }]
const on = (resource: object): Rules => ({ subjects: user('*'), resourceRules: [{ ...ANY, ...resource }] })
const at = (...nonResourceURLs: string[]): Rules => ({ subjects: user('*'), nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] })

const MATCHES: readonly (readonly [rule: string, rules: Rules, request: Attributes, isMatched: boolean])[] = [
  ['every user', { subjects: user('*'), resourceRules: [ANY] }, request(), true],
  ['this user', { subjects: user('alice'), resourceRules: [ANY] }, request(), true],
  ['another user', { subjects: user('bob'), resourceRules: [ANY] }, request(), false],
  ['this group', { subjects: group('devs'), resourceRules: [ANY] }, request(), true],
  ['another group', { subjects: group('ops'), resourceRules: [ANY] }, request(), false],
  ['every group', { subjects: group('*'), resourceRules: [ANY] }, request(), true],
  ['this account', { subjects: account('shop', 'robot'), resourceRules: [ANY] }, ROBOT, true],
  ['every account of its namespace', { subjects: account('shop', '*'), resourceRules: [ANY] }, ROBOT, true],
  ['another account', { subjects: account('shop', 'other'), resourceRules: [ANY] }, ROBOT, false],
  ['an account of another namespace', { subjects: account('bank', '*'), resourceRules: [ANY] }, ROBOT, false],
  ['a user is no account', { subjects: account('shop', '*'), resourceRules: [ANY] }, request(), false],
  ['the second subject', { subjects: [...user('bob'), ...group('devs')], resourceRules: [ANY] }, request(), true],
  ['no subject', { resourceRules: [ANY] }, request(), false],
  ['no rules', { subjects: user('*') }, request(), false],
  ['this verb', on({ verbs: ['list', 'get'] }), request(), true],
  ['another verb', on({ verbs: ['list'] }), request(), false],
  ['the core group', on({ apiGroups: [''] }), request(), true],
  ['another group of the API', on({ apiGroups: ['apps'] }), request(), false],
  ['this resource', on({ resources: ['pods'] }), request(), true],
  ['another resource', on({ resources: ['nodes'] }), request(), false],
  ['a subresource', on({ resources: ['pods/log'] }), request({ subresource: 'log' }), true],
  ['not its subresource', on({ resources: ['pods'] }), request({ subresource: 'log' }), false],
  ['this namespace', on({ namespaces: ['shop'] }), request(), true],
  ['another namespace', on({ namespaces: ['bank'] }), request(), false],
  ['no namespaces', on({ namespaces: undefined }), request(), false],
  ['the whole cluster', on({ namespaces: [] }), request({ namespace: '' }), true],
  ['not the whole cluster', on({ clusterScope: false }), request({ namespace: '' }), false],
  ['this path', at('/healthz/etcd'), PATH, true],
  ['paths below', at('/healthz/*'), PATH, true],
  ['every path', at('*'), PATH, true],
  ['another path', at('/livez', '/health'), PATH, false],
  ['a path above', at('/healthz'), PATH, true],
  ['a path above with a slash', at('/healthz/'), PATH, true],
  ['a path above with an asterisk', at('/healthz*'), PATH, true],
  ['the root', at('/'), PATH, true],
  ['a prefix of its first segment', at('/health*'), PATH, false],
  ['a path by another verb', at('*'), { ...PATH, verb: 'post' }, false],
  ['resources are no paths', at('*'), request(), false],
  ['paths are no resources', on({}), PATH, false],
]
for (const [rule, rules, of, isMatched] of MATCHES)
  test(`a flow schema for ${rule}`, () => {
    const last = schema('last', { rules: [on({}), at('*')] })
    assert.equal(matchFlow([schema('none'), schema('first', { rules: [rules] }), last], of)?.metadata.name === 'first', isMatched)
  })

test('nothing matches without schemas', () => assert.equal(matchFlow([], request()), undefined))

test('schemas are tried by precedence, then by name', () => {
  const schemas = [
    schema('b', { matchingPrecedence: 5 }),
    schema('z'),
    schema('a', { matchingPrecedence: 5 }),
    schema('c', { matchingPrecedence: 1001 }),
  ]
  assert.deepEqual(
    inOrder(schemas).map((s) => s.metadata.name),
    ['a', 'b', 'z', 'c'],
  )
})

test('requests of one flow have one name', () => {
  const nameBy = (type: string | undefined) => flowName(schema('s', type === undefined ? {} : { distinguisherMethod: { type } }), request())
  assert.deepEqual(['ByUser', 'ByNamespace', undefined].map(nameBy), ['s/alice', 's/shop', 's/'])
})

test('only flow schemas are flow schemas', () =>
  assert.deepEqual([schema('a'), { ...schema('a'), kind: 'Other' }].map(isFlowSchema), [true, false]))
