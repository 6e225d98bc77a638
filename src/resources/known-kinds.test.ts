import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKnownKind, isUnservedKind } from './known-kinds.ts'

/** Asked of kube-apiserver 1.36.3: `converting (v1.Pod) to …` says that a kind is registered. */
const KINDS: readonly (readonly [group: string, version: string, kind: string, beside: string, known: boolean])[] = [
  ['apps', 'v1', 'Deployment', '', true],
  ['apps', 'v1', 'DeploymentList', '', true],
  ['apps', 'v1beta1', 'Deployment', '', true],
  ['apps', 'v1beta1', 'DeploymentList', '', true],
  ['apps', 'v1beta1', 'DaemonSet', '', false],
  ['apiregistration.k8s.io', 'v1', 'APIService', '', false],
  ['apiregistration.k8s.io', 'v1', 'APIService', 'apiregistration.k8s.io', true],
  ['', 'v1', 'Pod', 'apiextensions.k8s.io', false],
  ['apiextensions.k8s.io', 'v1', 'ConversionReview', '', false],
  ['', 'v1', 'Status', 'apiextensions.k8s.io', true],
  ['apps', 'v1', 'Status', '', true],
  ['', 'v1', 'DeleteOptions', 'apiextensions.k8s.io', true],
  ['apps', 'v1', 'DeleteOptions', '', true],
  ['apps', 'v2', 'DeleteOptions', '', false],
  ['apiregistration.k8s.io', 'v1', 'DeleteOptions', '', false],
  ['example.com', 'v1', 'Widget', '', false],
]
for (const [group, version, kind, beside, known] of KINDS)
  test(`${kind} of ${group}/${version} is ${known ? '' : 'not '}known beside the kinds of ${beside === '' ? 'the core group' : beside}`, () =>
    assert.equal(isKnownKind({ group, version, kind }, beside), known))

test('a version that is not served is told from one that never was', () => {
  assert.ok(isUnservedKind({ group: 'batch', version: 'v1beta1', kind: 'CronJob' }))
  assert.ok(!isUnservedKind({ group: 'batch', version: 'v1beta1', kind: 'Job' }))
})
