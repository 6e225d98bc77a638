/** What a webhook is asked about each kind of write. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { KubeObject } from '../../src/machinery/object.ts'
import * as refs from '../../src/resources/refs.ts'
import { connect, createWebhookServer } from '../../src/sdk/sdk.ts'
import { configMap } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { testCertificate } from '../../src/testing/test-certificate.ts'

const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }

test('connections and evictions are admitted before their pod is looked up; logs are not', async (t) => {
  await using cluster = await startCluster({ parts: ['server'] })
  await cluster.listen()
  const kubeconfig = path.join(mkdtempSync(path.join(os.tmpdir(), 'bowsprit-webhooks-')), 'kubeconfig')
  t.after(() => rmSync(path.dirname(kubeconfig), { recursive: true }))
  writeFileSync(kubeconfig, cluster.kubeconfig())
  await using connection = await connect({ kubeconfig })
  const { client } = connection
  const { cert, key, ca } = testCertificate()
  await using server = createWebhookServer({
    tls: { cert, key },
    validate: ({ operation, subResource }) => `no ${operation} of ${subResource}`,
  })
  const caBundle = Buffer.from(ca).toString('base64')
  await client.create(refs.VALIDATING_WEBHOOK_CONFIGURATIONS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'all' },
    webhooks: [
      {
        name: 'all.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `${await server.listen(0)}/validate`, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods/*'] }],
      },
    ],
  })
  const pod = '/api/v1/namespaces/default/pods/missing'
  await assert.rejects(client.page(`${pod}/exec?command=x`), /no CONNECT of exec/)
  await assert.rejects(client.page(`${pod}/portforward`), /no CONNECT of portforward/)
  await assert.rejects(client.page(`${pod}/proxy/`), /no CONNECT of proxy/)
  await assert.rejects(client.page(`${pod}/log`), /pods "missing" not found/)
  const eviction = { ...refs.PODS, namespace: 'default', name: 'missing', subresource: 'eviction' }
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'missing' } }
  await assert.rejects(client.create<KubeObject>(eviction, body), /no CREATE of eviction/)
})

test('a mutating webhook sees creates, updates by any method, and deletes, each with its options', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  const { cert, key, ca } = testCertificate()
  const seen: string[] = []
  await using server = createWebhookServer({
    tls: { cert, key },
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
        clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') },
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
