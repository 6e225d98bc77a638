import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodTemplateSpec } from '../../resources/types/core.ts'
import { revisionData, revisionHash } from './revisions.ts'
import { templateHash } from './template-hash.ts'

const template = (image: string, more: object = {}): PodTemplateSpec => ({
  metadata: { labels: { app: 'x' } },
  spec: {
    containers: [
      {
        name: 'm',
        image,
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 1,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...more,
  },
})

for (const [image, hash] of [
  ['app', '747749d958'],
  ['app2', 'd488d5b9b'],
  ['app3', 'c4d4c4759'],
] as const)
  test(`a template has the hash that it has in Kubernetes: ${JSON.stringify(image)}`, () =>
    assert.equal(templateHash(template(image), undefined), hash))

test('a collision makes another hash', () => {
  assert.notEqual(templateHash(template('app'), 1), templateHash(template('app'), undefined))
})

test('a template with rare parts has a hash too, the same whatever the order of its keys', () => {
  const one = template('app', { volumes: [{ name: 'v', iscsi: { iqn: 'i', lun: 1 } }] })
  const other = template('app', { volumes: [{ iscsi: { lun: 1, iqn: 'i' }, name: 'v' }] })
  assert.equal(templateHash(one, undefined), templateHash(other, undefined))
})

test('a revision has the hash that it has in Kubernetes', () => {
  const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {}, spec: { template: template('app') } } as const
  assert.equal(revisionHash(revisionData(set), 0), '66569fd5b7')
})
