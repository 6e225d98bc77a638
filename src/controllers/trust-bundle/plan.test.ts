import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterTrustBundle } from '../../resources/types/certificates-v1beta1.ts'
import { planTrustBundle } from './plan.ts'

const bundle = (name: string, trustBundle: string, signerName = 'kubernetes.io/kube-apiserver-serving'): ClusterTrustBundle => ({
  apiVersion: 'certificates.k8s.io/v1beta1',
  kind: 'ClusterTrustBundle',
  metadata: { name, labels: { mine: 'yes' } },
  spec: { signerName, trustBundle },
})
// The first 24 digits of `printf CA | sha256sum`.
const CURRENT = 'kubernetes.io:kube-apiserver-serving:4b650e5c4785025dee7bd65e'

for (const [what, all, expected] of [
  ['nothing is published', [], { create: CURRENT }],
  ['it is published', [bundle(CURRENT, 'CA')], {}],
  ['somebody changed it', [bundle(CURRENT, 'other')], { update: CURRENT }],
  [
    'the CA has changed',
    [bundle('kubernetes.io:kube-apiserver-serving:old', 'OLD')],
    { create: CURRENT, remove: ['kubernetes.io:kube-apiserver-serving:old'] },
  ],
  ['another signer has bundles', [bundle(CURRENT, 'CA'), bundle('example.com:s:a', 'OLD', 'example.com/s')], {}],
] as const)
  test(`the bundle of the API server, when ${what}`, () => {
    const { create, update, remove } = planTrustBundle(all, 'CA')
    const names = {
      ...(create && { create: create.metadata.name }),
      ...(update && { update: update.metadata.name }),
      ...(remove.length > 0 && { remove: remove.map(({ metadata }) => metadata.name) }),
    }
    assert.deepEqual(names, expected)
    for (const written of [create, update]) if (written) assert.equal(written.spec.trustBundle, 'CA')
    if (update) assert.deepEqual(update.metadata.labels, { mine: 'yes' })
  })
