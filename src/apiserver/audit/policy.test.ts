import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PathTarget, RequestInfo } from '../request/request-info.ts'
import { type Audited, type AuditPolicy, type AuditRule, auditDecider } from './policy.ts'

const target = (more: Partial<PathTarget>): PathTarget => ({
  group: '',
  version: 'v1',
  namespace: 'shop',
  namespaced: true,
  resource: 'pods',
  name: 'web',
  subresource: '',
  rest: '',
  prefix: '',
  ...more,
})
const request = (of: Partial<PathTarget> | undefined, more: Partial<RequestInfo> = {}, user: string | null = 'alice'): Audited => ({
  sender: user === null ? undefined : { name: user, groups: ['devs', 'system:authenticated'] },
  info: { path: '/api', method: 'GET', verb: 'get', target: of && target(of), ...more },
})
const POD = request({})
const LOG = request({ subresource: 'log' })
const NODE = request({ resource: 'nodes', namespace: '', namespaced: false, name: 'm' })
const HEALTH = request(undefined, { path: '/healthz/etcd' })

/** A rule, a request, and whether the rule is about it. */
const RULES: readonly (readonly [rule: Omit<AuditRule, 'level'>, request: Audited, fits: boolean])[] = [
  [{}, POD, true],
  [{}, HEALTH, true],
  [{ users: ['alice'] }, POD, true],
  [{ users: ['bob'] }, POD, false],
  [{ users: ['alice'] }, request({}, {}, null), false],
  [{ users: [] }, request({}, {}, null), true],
  [{ userGroups: ['ops', 'devs'] }, POD, true],
  [{ userGroups: ['ops'] }, POD, false],
  [{ userGroups: ['devs'] }, request({}, {}, null), false],
  [{ verbs: ['get', 'list'] }, POD, true],
  [{ verbs: ['list'] }, POD, false],
  [{ namespaces: ['shop'] }, POD, true],
  [{ namespaces: ['bank'] }, POD, false],
  [{ namespaces: [''] }, NODE, true],
  [{ namespaces: [''] }, POD, false],
  [{ namespaces: ['shop'] }, HEALTH, false],
  [{ resources: [{}] }, POD, true],
  [{ resources: [{ group: 'apps' }] }, POD, false],
  [{ resources: [{ group: 'apps' }] }, request({ group: 'apps', resource: 'deployments' }), true],
  [{ resources: [{ resources: ['pods'] }] }, POD, true],
  [{ resources: [{ resources: ['nodes'] }] }, POD, false],
  [{ resources: [{ resources: ['pods'] }] }, LOG, false],
  [{ resources: [{ resources: ['pods/log'] }] }, LOG, true],
  [{ resources: [{ resources: ['pods/status'] }] }, LOG, false],
  [{ resources: [{ resources: ['*/log'] }] }, LOG, true],
  [{ resources: [{ resources: ['*/status'] }] }, LOG, false],
  [{ resources: [{ resources: ['*/'] }] }, POD, false],
  [{ resources: [{ resources: ['pods/*'] }] }, LOG, true],
  [{ resources: [{ resources: ['pods/*'] }] }, POD, true],
  [{ resources: [{ resources: ['nodes/*'] }] }, POD, false],
  [{ resources: [{ resources: ['*'] }] }, LOG, true],
  [{ resources: [{ resources: ['pods'], resourceNames: ['web'] }] }, POD, true],
  [{ resources: [{ resources: ['pods'], resourceNames: ['db'] }] }, POD, false],
  [{ resources: [{ resources: ['nodes'] }, { resources: ['pods'] }] }, POD, true],
  [{ resources: [{ resources: ['pods'] }], namespaces: ['bank'] }, POD, false],
  [{ resources: [{}] }, HEALTH, false],
  [{ nonResourceURLs: ['/healthz/etcd'] }, HEALTH, true],
  [{ nonResourceURLs: ['/healthz*'] }, HEALTH, true],
  [{ nonResourceURLs: ['/healthz/*'] }, HEALTH, true],
  [{ nonResourceURLs: ['*'] }, HEALTH, true],
  [{ nonResourceURLs: ['/healthz'] }, HEALTH, false],
  [{ nonResourceURLs: ['/livez*'] }, HEALTH, false],
  [{ nonResourceURLs: ['*'] }, POD, false],
]
for (const [i, [rule, of, fits]] of RULES.entries())
  test(`audit rule ${i}: ${JSON.stringify(rule)} ${fits ? 'matches' : 'does not match'}`, () =>
    assert.equal(auditDecider({ rules: [{ level: 'Metadata', ...rule }] })(of).level, fits ? 'Metadata' : 'None'))

test('the first rule that matches decides, with the stages that the policy and it leave out', () => {
  const policy: AuditPolicy = {
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      { level: 'None', users: ['bob'] },
      { level: 'Request', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false },
      { level: 'RequestResponse' },
    ],
  }
  const decide = auditDecider(policy)
  assert.deepEqual(decide(request({}, {}, 'bob')), { level: 'None', omitStages: new Set(['RequestReceived']), omitManagedFields: true })
  assert.deepEqual(decide(POD), { level: 'Request', omitStages: new Set(['RequestReceived', 'Panic']), omitManagedFields: false })
  assert.equal(decide(request({}, { verb: 'list' })).level, 'RequestResponse')
  assert.deepEqual(auditDecider({ rules: [] })(POD), { level: 'None', omitStages: new Set(), omitManagedFields: false })
})
