/** HEAD of custom objects, over HTTP/1.1: as GET, without the body. */
import assert from 'node:assert/strict'
import https from 'node:https'
import { test } from 'node:test'
import type { KubeObject } from '../../src/machinery/object.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const DEFINITION: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.test.example.com' },
  spec: {
    group: 'test.example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}
const THINGS = '/apis/test.example.com/v1/things'

test('lists and watches are answered before they end', { timeout: 60_000 }, async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  await cluster.client().create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
  const address = await cluster.listen()
  const kubeconfig = cluster.kubeconfig()
  const data = (name: string) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  const tls = { ca: data('certificate-authority'), cert: data('client-certificate'), key: data('client-key'), agent: false }
  const head = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = https.request(address + path, { ...tls, method: 'HEAD' }, ({ statusCode }) => {
        resolve(statusCode)
        request.destroy()
      })
      request.on('error', reject).end()
    })
  await waitFor(async () => (await head(THINGS)) === 200)
  assert.equal(await head(`${THINGS}?watch=1`), 200)
})
