/** What a webhook is asked about each kind of write. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import * as refs from '../../src/resources/refs.ts'
import { createWebhookServer } from '../../src/sdk/sdk.ts'
import { configMap } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }

test('a mutating webhook sees creates, updates by any method, and deletes, each with its options', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  const { serving, ca } = await openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
  const seen: string[] = []
  await using server = createWebhookServer({
    tls: { cert: serving.certificate, key: serving.key },
    mutate({ operation, options, object, oldObject }) {
      seen.push(`${operation} ${options?.kind} ${object?.metadata.name ?? '-'} ${oldObject?.metadata.name ?? '-'}`)
      return undefined
    },
  })
  const url = `${await server.listen(0)}/mutate`
  await client.create(refs.MUTATING_WEBHOOK_CONFIGURATIONS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'all' },
    webhooks: [
      {
        name: 'all.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url, caBundle: Buffer.from(ca.certificate).toString('base64') },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      },
    ],
  })
  await client.create(MAPS, configMap('a'))
  await client.patch({ ...MAPS, name: 'a' }, 'merge', { data: { k: 'v' } })
  await client.patch({ ...MAPS, name: 'b' }, 'apply', configMap('b'), { fieldManager: 'test' })
  await client.delete({ ...MAPS, name: 'a' })
  assert.deepEqual(seen, ['CREATE CreateOptions a -', 'UPDATE UpdateOptions a a', 'CREATE CreateOptions b -', 'DELETE DeleteOptions - a'])
})
