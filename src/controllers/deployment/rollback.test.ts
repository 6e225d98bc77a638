import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment, ReplicaSet } from '../../resources/types/apps.ts'
import { sketch } from '../frame/sketch.double.ts'
import { type DeploymentView, HASH_LABEL, REVISION, ROLLBACK_TO } from './plan.ts'
import { planRollback, rollbackOf } from './rollback.ts'

const template = (image: string, labels: Record<string, string> = {}) => ({
  metadata: { labels: { app: 'x', ...labels } },
  spec: { containers: [{ name: 'm', image }] },
})
const set = (revision: number, image: string): ReplicaSet =>
  sketch({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: `d-${image}`, annotations: { [REVISION]: String(revision), why: image } },
    spec: { template: template(image, { [HASH_LABEL]: image }) },
  })
const deployment = (image: string, to?: string): Deployment =>
  sketch({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', annotations: { [REVISION]: '3', why: image, ...(to !== undefined && { [ROLLBACK_TO]: to }) } },
    spec: { replicas: 1, template: template(image) },
  })
const view = (): DeploymentView => ({ deployment: deployment('c', '1'), current: set(3, 'c'), old: [set(1, 'a'), set(2, 'b')] })

test('a rollback revision is a number, or ignored', () => {
  assert.equal(rollbackOf(deployment('a', '2')), 2n)
  assert.equal(rollbackOf(deployment('a', 'x')), undefined)
  assert.equal(rollbackOf(deployment('a')), undefined)
})

for (const [requested, image] of [
  [1n, 'a'],
  [0n, 'b'],
] as const)
  test(`the template and the annotations of the older replica set come back: ${requested}`, () => {
    const plan = planRollback(view(), requested)
    assert.deepEqual(plan.deployment.spec?.template, template(image))
    assert.deepEqual(plan.deployment.metadata.annotations, { [REVISION]: '3', why: image })
    assert.deepEqual([plan.type, plan.reason], ['Normal', 'DeploymentRollback'])
  })

test('an impossible rollback is reported, and its annotation removed', () => {
  const reason = (of: DeploymentView, requested: bigint) => {
    const plan = planRollback(of, requested)
    assert.equal(plan.deployment.metadata.annotations?.[ROLLBACK_TO], undefined)
    assert.equal(plan.type, 'Warning')
    return plan.reason
  }
  assert.equal(reason(view(), 9n), 'DeploymentRollbackRevisionNotFound')
  assert.equal(reason({ ...view(), old: [] }, 0n), 'DeploymentRollbackRevisionNotFound')
  assert.equal(reason(view(), 3n), 'DeploymentRollbackTemplateUnchanged')
})
