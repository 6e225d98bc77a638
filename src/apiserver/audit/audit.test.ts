import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { createAuditLog } from './audit-log.ts'
import { type Audited, AuditPolicyError, decideAudit, readAuditPolicy } from './policy.ts'

const policy = readAuditPolicy({
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: ['system:kube-proxy'], verbs: ['watch'], resources: [{ resources: ['services'] }] },
    { level: 'None', nonResourceURLs: ['/healthz*'] },
    { level: 'Request', resources: [{ resources: ['configmaps'], resourceNames: ['important'] }], namespaces: ['kube-system'] },
    { level: 'Metadata', resources: [{ resources: ['secrets', 'pods/log'] }] },
    { level: 'RequestResponse', resources: [{ group: 'apps' }], omitManagedFields: true },
    { level: 'Metadata', userGroups: ['ops'] },
  ],
})

/** `user[,group…] verb group/resource[/subresource] namespace/name`, or a path. */
function request(text: string): Audited {
  const [who = '', verb = '', what = '', where = ''] = text.split(' ')
  const [name = '', ...groups] = who.split(',')
  if (what.startsWith('/')) return { user: { name, groups }, verb, path: what }
  const [group = '', resource = '', subresource = ''] = what.split('/').map((p) => (p === 'core' ? '' : p))
  const [namespace = '', object = ''] = where.split('/')
  return { user: { name, groups }, verb, path: '', resource: { group, resource, subresource, namespace, name: object } }
}

const cases: readonly (readonly [string, string])[] = [
  ['system:kube-proxy watch core/services x', 'None'],
  ['ann get /healthz/etcd', 'None'],
  ['ann update core/configmaps kube-system/important', 'Request'],
  ['ann update core/configmaps kube-system/other', 'None'],
  ['ann get core/secrets x/y', 'Metadata'],
  ['ann get core/pods/log x/y', 'Metadata'],
  ['ann get core/pods x/y', 'None'],
  ['ann get apps/deployments/status x/y', 'RequestResponse'],
  ['bob,ops get core/pods x/y', 'Metadata'],
]
for (const [text, level] of cases) test(`${text} → ${level}`, () => assert.equal(decideAudit(policy, request(text)).level, level))

test('an event tells who did what to which object, and how it ended', () => {
  const lines: string[] = []
  const log = createAuditLog(policy, { clock: new VirtualClock(), random: seededRandom(1), sink: (line) => lines.push(line) })
  const record = log.begin({
    ...request('ann create apps/deployments x/d'),
    url: '/apis/apps/v1/namespaces/x/deployments',
    apiVersion: 'v1',
    sourceIPs: ['127.0.0.1'],
    userAgent: 'kubectl',
  })
  record?.annotate('k', 'v')
  record?.request({ kind: 'Deployment', metadata: { name: 'd', managedFields: [] } })
  record?.complete(201, { kind: 'Deployment', metadata: { name: 'd', managedFields: [] } })
  assert.equal(lines.length, 1)
  const event = JSON.parse(lines[0] ?? '')
  assert.deepEqual(event.objectRef, { resource: 'deployments', namespace: 'x', name: 'd', apiGroup: 'apps', apiVersion: 'v1' })
  assert.deepEqual(
    [event.stage, event.responseStatus.code, event.annotations, event.requestObject.metadata, event.responseObject.metadata],
    ['ResponseComplete', 201, { k: 'v' }, { name: 'd' }, { name: 'd' }],
  )
})

test('a policy that cannot be used says what to write', () => {
  assert.throws(() => readAuditPolicy({ kind: 'Policy', rules: [] }), AuditPolicyError)
  assert.throws(() => readAuditPolicy({ kind: 'Policy', rules: [{ level: 'Loud' }] }), /rules\[0\]\.level must be one of None/)
})
