import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Attributes, resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { atOnce } from '../../../base/steps.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'
import { compact, ruleAllows, ruleText } from './policy-rule.ts'
import { uncovered } from './uncovered.ts'

const user = { name: 'ann', groups: [] }
const VERBS = ['get', 'list']
const GROUPS = ['', 'apps']
const RESOURCES = ['pods', 'deployments']
const SUBRESOURCES = ['', 'log', 'scale']
const NAMES = ['', 'one', 'two']
const PATHS = ['/healthz', '/api', '/api/v1', '/apis']

/** Every request that the generated rules can distinguish. */
const REQUESTS: readonly Attributes[] = [
  ...VERBS.flatMap((verb) =>
    GROUPS.flatMap((group) =>
      RESOURCES.flatMap((resource) =>
        SUBRESOURCES.flatMap((subresource) =>
          NAMES.map((name) => resourceAttributes({ user, verb, group, resource, subresource, name, namespace: 'a' })),
        ),
      ),
    ),
  ),
  ...VERBS.flatMap((verb) => PATHS.map((path) => ({ ...resourceAttributes({ user, verb, resource: '' }), resourceRequest: false, path }))),
]

const some = (...values: readonly string[]) => fc.subarray([...values], { minLength: 1 })
const resourceRule = fc.record({
  verbs: some(...VERBS, '*'),
  apiGroups: some(...GROUPS, '*'),
  resources: some('pods', 'pods/log', 'deployments/scale', '*/scale', '*'),
  resourceNames: fc.subarray(['one', 'two']),
})
const pathRule = fc.record({ verbs: some(...VERBS, '*'), nonResourceURLs: some('/healthz', '/api', '/api/*', '*') })
const rules = fc.array(fc.oneof(resourceRule, pathRule), { maxLength: 4 })

/** The rules of `rbac/v1/evaluation_helpers.go`, as a model. */
function modelAllows(rule: PolicyRule, a: Attributes): boolean {
  const within = (list: readonly string[] = [], value: string) => list.some((entry) => entry === '*' || entry === value)
  if (!within(rule.verbs, a.verb)) return false
  if (!a.resourceRequest)
    return (rule.nonResourceURLs ?? []).some((url) => {
      const literal = url.replace(/[.?+^$[\]\\(){}|-]/g, '\\$&').replace(/\*$/, '.*')
      return new RegExp(`^${literal}$`).test(a.path)
    })
  const combined = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`
  const named = rule.resourceNames ?? []
  return (
    within(rule.apiGroups, a.group) &&
    (within(rule.resources, combined) || (a.subresource !== '' && (rule.resources ?? []).includes(`*/${a.subresource}`))) &&
    (named.length === 0 || named.includes(a.name))
  )
}

test('a rule allows what its lists name, in every combination', () => {
  fc.assert(
    fc.property(fc.oneof(resourceRule, pathRule), (rule) => {
      for (const request of REQUESTS) assert.equal(ruleAllows(rule, request), modelAllows(rule, request), JSON.stringify([rule, request]))
    }),
  )
})

/** The missing permissions, of few. */
function missingOf(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const result = atOnce(uncovered(held, wanted))
  assert.equal(result.kind, 'compared')
  return result.kind === 'compared' ? result.missing : []
}

test('the product of four lists is counted, not made, and what one rule covers as a whole is not broken down', () => {
  const names = Array.from({ length: 100 }, (_, i) => `n${i}`)
  const product = { apiGroups: names, resources: names, verbs: names, resourceNames: names }
  assert.deepEqual(atOnce(uncovered([], [product])), { kind: 'too many', permissions: 100 ** 4 })
  assert.deepEqual(missingOf([{ apiGroups: ['*'], resources: ['*'], verbs: names }], [product]), [])
  assert.deepEqual(missingOf([product], [product]), [])
})

test('long lists are compared in turns', () => {
  const names = Array.from({ length: 3000 }, (_, i) => `n${i}`)
  const wanted = { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: names }
  const held = names.map((name) => ({ ...wanted, resourceNames: [name] }))
  let turns = 0
  for (const steps = uncovered(held, [wanted]); steps.next().done !== true; ) turns++
  assert.ok(turns > 1000, `${turns} turns`)
})

test('rules that cover others allow every request that those allow', () => {
  fc.assert(
    fc.property(rules, rules, (held, wanted) => {
      if (missingOf(held, wanted).length > 0) return
      for (const request of REQUESTS)
        if (wanted.some((rule) => ruleAllows(rule, request))) assert.ok(held.some((rule) => ruleAllows(rule, request)))
    }),
    { numRuns: 300 },
  )
})

test('of rules without wildcards exactly that is missing which is not allowed', () => {
  const plain = fc.record({ verbs: some(...VERBS), apiGroups: some(...GROUPS), resources: some('pods', 'deployments') })
  fc.assert(
    fc.property(rules, fc.array(plain, { maxLength: 3 }), (held, wanted) => {
      const missing = missingOf(held, wanted)
      const asked = REQUESTS.filter((r) => r.resourceRequest && r.subresource === '' && r.name === '')
      const lacking = asked.filter((r) => wanted.some((w) => ruleAllows(w, r)) && !held.some((h) => ruleAllows(h, r)))
      for (const request of asked)
        assert.equal(
          missing.some((m) => ruleAllows(m, request)),
          lacking.includes(request),
        )
    }),
  )
})

test('every set of rules covers itself, and the empty set covers nothing', () => {
  fc.assert(
    fc.property(rules, (given) => {
      assert.deepEqual(missingOf(given, given), [])
      assert.equal(missingOf([], given).length === 0, given.length === 0)
    }),
  )
})

test('compacted rules allow the same as before', () => {
  fc.assert(
    fc.property(rules, (given) => {
      const shorter = compact(missingOf([], given))
      for (const request of REQUESTS)
        assert.equal(
          shorter.some((rule) => ruleAllows(rule, request)),
          given.some((rule) => ruleAllows(rule, request)),
        )
    }),
  )
})

const texts: readonly (readonly [PolicyRule, string])[] = [
  [{ verbs: ['get'] }, '{Verbs:["get"]}'],
  [
    { verbs: ['list', 'watch'], apiGroups: ['apps'], resources: ['deployments'] },
    '{APIGroups:["apps"], Resources:["deployments"], Verbs:["list" "watch"]}',
  ],
  [
    { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a', 'b'] },
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["a" "b"], Verbs:["get"]}',
  ],
  [{ verbs: ['*'], nonResourceURLs: ['/metrics'] }, '{NonResourceURLs:["/metrics"], Verbs:["*"]}'],
  [{ verbs: ['get'], resourceNames: [] }, '{Verbs:["get"]}'],
]
for (const [rule, text] of texts) test(`a rule is written ${text}`, () => assert.equal(ruleText(rule), text))

const joined: readonly (readonly [rule: string, given: readonly PolicyRule[], compacted: readonly PolicyRule[]])[] = [
  [
    'verbs of one resource are joined',
    ['get', 'list'].map((verb) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })),
    [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }],
  ],
  [
    'those of different names are not',
    ['x', 'y'].map((name) => ({ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [name] })),
    ['x', 'y'].map((name) => ({ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [name] })),
  ],
  [
    'those of different groups are not',
    ['b', 'a'].map((group) => ({ verbs: ['get'], apiGroups: [group], resources: ['x'] })),
    ['a', 'b'].map((group) => ({ verbs: ['get'], apiGroups: [group], resources: ['x'] })),
  ],
  [
    'paths stay as they are',
    ['get', 'put'].map((verb) => ({ verbs: [verb], nonResourceURLs: ['/x'] })),
    ['get', 'put'].map((verb) => ({ verbs: [verb], nonResourceURLs: ['/x'] })),
  ],
]
for (const [rule, given, compacted] of joined) test(rule, () => assert.deepEqual(compact(given), compacted))
