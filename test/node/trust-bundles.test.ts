/** ClusterTrustBundles, which are off by default: the kind, its publisher, and the volume of a pod. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import { certificateBlocks } from '../../src/machinery/x509/certificates-of.ts'
import { CLUSTER_TRUST_BUNDLES, CONFIG_MAPS, POD_TEMPLATES } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { podsOf } from '../programs/pods.ts'

const SIGNER = 'kubernetes.io/kube-apiserver-serving'
const reader = (): Pod =>
  pod('reader', {
    spec: {
      restartPolicy: 'Never',
      containers: [
        { name: 'main', image: 'busybox', command: ['cat', '/trust/ca.pem'], volumeMounts: [{ name: 'trust', mountPath: '/trust' }] },
      ],
      volumes: [
        { name: 'trust', projected: { sources: [{ clusterTrustBundle: { signerName: SIGNER, labelSelector: {}, path: 'ca.pem' } }] } },
      ],
    },
  })

test("a pod reads the certificate authority of the API server from the publisher's bundle", async () => {
  await using cluster = await startCluster({ clusterTrustBundles: true })
  const client = cluster.client()
  const [bundle] = await waitFor(
    async () => {
      const { items } = await client.list(CLUSTER_TRUST_BUNDLES)
      return items.length > 0 && items
    },
    { clock: systemClock },
  )
  assert.match(bundle?.metadata.name ?? '', /^kubernetes\.io:kube-apiserver-serving:[0-9a-f]{24}$/)
  const { data = {} } = await client.get({ ...CONFIG_MAPS, namespace: 'default', name: 'kube-root-ca.crt' })
  assert.equal(bundle?.spec.trustBundle, data['ca.crt'])

  const pods = podsOf(client, systemClock)
  await pods.create(reader())
  assert.equal((await pods.ended('reader')).status?.phase, 'Succeeded')
  assert.deepEqual(certificateBlocks(await pods.logs('reader')), certificateBlocks(data['ca.crt'] ?? ''))

  await client.delete({ ...CLUSTER_TRUST_BUNDLES, name: bundle?.metadata.name ?? '' })
  await waitFor(async () => (await client.list(CLUSTER_TRUST_BUNDLES)).items.length > 0, { clock: systemClock })
})

test('by default the kind is not served, and the volume is dropped', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await assert.rejects(client.list(CLUSTER_TRUST_BUNDLES), (error) => isStatus(error) && error.status.code === 404)
  const template = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'reader' }, template: reader() } as const
  const made = await client.create({ ...POD_TEMPLATES, namespace: 'default' }, template)
  assert.deepEqual(made.template?.spec?.volumes?.[0]?.projected?.sources, [{}])
})
