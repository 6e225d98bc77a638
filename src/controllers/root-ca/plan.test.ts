import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfigMap } from '../../resources/types/core.ts'
import { planRootCa } from './plan.ts'

const configMap = (data: Readonly<Record<string, string>>, description = 'mine'): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'kube-root-ca.crt',
    namespace: 'n',
    labels: { mine: 'yes' },
    annotations: { 'kubernetes.io/description': description },
  },
  data,
})

for (const [what, phase, current, expected] of [
  ['a namespace without it', 'Active', undefined, 'create'],
  ['one that has it', 'Active', configMap({ 'ca.crt': 'PEM' }), 'keep'],
  ['one with another CA', 'Active', configMap({ 'ca.crt': 'old' }), 'update'],
  ['one with more in it', 'Active', configMap({ 'ca.crt': 'PEM', more: '' }), 'update'],
  ['one without a description', 'Active', configMap({ 'ca.crt': 'PEM' }, ''), 'update'],
  ['one that is being deleted', 'Terminating', undefined, 'keep'],
] as const)
  test(`the root CA of ${what}: ${expected}`, () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' }, status: { phase } } as const
    const plan = planRootCa(namespace, current, 'PEM')
    assert.equal(plan.kind, expected)
    if (plan.kind === 'keep') return
    assert.deepEqual(plan.configMap.data, { 'ca.crt': 'PEM' })
    assert.deepEqual(plan.configMap.metadata.labels, current?.metadata.labels)
    assert.match(plan.configMap.metadata.annotations?.['kubernetes.io/description'] ?? '', /CA bundle/)
  })
