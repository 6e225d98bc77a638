/** Keys in the order in which Go writes them: maps are sorted, structs are not, and custom objects are maps at every depth. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { pageText } from '../api/page-text.ts'

const GROUP = 'test.example.com'
const ROOT = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema: { openAPIV3Schema: ROOT } })
const DEFINITION: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [version('v1', true), version('v2', false)],
  },
}

const METADATA = { name: 'a', namespace: 'default', labels: { z: '1', a: '2' } }
const OWNERS = [{ uid: 'u', name: 'o', kind: 'K', apiVersion: 'v1', controller: false }]
/** The member before the metadata looks like metadata itself. */
const THING = {
  kind: 'Thing',
  apiVersion: `${GROUP}/v1`,
  metadata: { ...METADATA, ownerReferences: OWNERS },
  spec: { z: [{ y: 1, x: 2 }], b: { d: 1, c: '<' } },
  data: { metadata: { name: 'inner', uid: 'x' } },
}

describe('the order of keys in responses', () => {
  let cluster: Cluster
  before(async () => {
    cluster = await startCluster({ parts: ['server'] })
    const client = cluster.client()
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
    await client.create({ group: GROUP, version: 'v1', resource: 'things', namespace: 'default' }, THING as unknown as KubeObject)
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: METADATA, data: { z: '1', b: '2' } }
    await client.create({ group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }, map)
  })
  after(() => cluster[Symbol.asyncDispose]())

  /** A page with what is new in each run replaced, and without managed fields. */
  const page = async (at: string, accept?: string) => {
    const text = await pageText(cluster, at, accept)
    const without = text.replaceAll(/"managedFields":\[\{.*?\}\](?=,"name"|\})/g, '"managedFields":[]')
    return without.replaceAll(/"uid":"[0-9a-f-]{36}"|"resourceVersion":"\d+"|"creationTimestamp":"[^"]*"/g, (m) => m.replace(/:.*/, ':0'))
  }
  const thing = (v: string) =>
    `{"apiVersion":"${GROUP}/${v}","data":{"metadata":{"name":"inner","uid":"x"}},"kind":"Thing","metadata":{"creationTimestamp":0,"generation":1,"labels":{"a":"2","z":"1"},"managedFields":[],"name":"a","namespace":"default","ownerReferences":[{"apiVersion":"v1","controller":false,"kind":"K","name":"o","uid":"u"}],"resourceVersion":0,"uid":0},"spec":{"b":{"c":"\\u003c","d":1},"z":[{"x":2,"y":1}]}}`
  const typed = `"metadata":{"name":"a","namespace":"default","uid":0,"resourceVersion":0,"generation":1,"creationTimestamp":0,"labels":{"a":"2","z":"1"},"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"u","controller":false}],"managedFields":[]}`
  const things = (v: string) => `/apis/${GROUP}/${v}/namespaces/default/things`

  for (const v of ['v1', 'v2']) {
    test(`a custom object has sorted keys at every depth: ${v}`, async () => {
      assert.equal(await page(`${things(v)}/a`), `${thing(v)}\n`)
    })
    test(`a list of custom objects has sorted keys, too: ${v}`, async () => {
      const metadata = '{"continue":"","resourceVersion":0}'
      assert.equal(
        await page(things(v)),
        `{"apiVersion":"${GROUP}/${v}","items":[${thing(v)}],"kind":"ThingList","metadata":${metadata}}\n`,
      )
    })
    test(`events of a watch have sorted keys, too: ${v}`, async () => {
      assert.equal(await page(`${things(v)}?watch=1&timeoutSeconds=1`), `{"type":"ADDED","object":${thing(v)}}\n`)
    })
    for (const include of ['Metadata', 'Object'])
      test(`a table of custom objects is typed, and so is the metadata in it: ${v}, ${include}`, async () => {
        const text = await page(`${things(v)}?includeObject=${include}`, 'application/json;as=Table;v=v1;g=meta.k8s.io')
        const object = include === 'Object' ? thing(v) : `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",${typed}}`
        assert.ok(text.endsWith(`,"object":${object}}]}\n`), text)
        assert.match(text, /^\{"kind":"Table","apiVersion":"meta.k8s.io\/v1","metadata":\{"resourceVersion":0\},"columnDefinitions":\[/)
      })
  }

  test('maps of built-in kinds are sorted, their structs are not', async () => {
    const metadata =
      '{"name":"a","namespace":"default","uid":0,"resourceVersion":0,"creationTimestamp":0,"labels":{"a":"2","z":"1"},"managedFields":[]}'
    const text = await page('/api/v1/namespaces/default/configmaps/a')
    assert.equal(text, `{"kind":"ConfigMap","apiVersion":"v1","metadata":${metadata},"data":{"b":"2","z":"1"}}\n`)
  })
})
