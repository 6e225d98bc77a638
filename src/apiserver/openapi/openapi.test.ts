import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { allRecorded, upstream } from '../../../test/upstream.ts'
import { atOnce } from '../../base/steps.ts'
import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { kubernetesKinds } from '../../server/kubernetes-kinds.ts'
import { servedGroupVersions } from './document.ts'
import { encodeGnosticV2 } from './gnostic-v2.ts'
import { encodeGnosticV3 } from './gnostic-v3.ts'
import { createOpenapiDocuments } from './openapi-documents.ts'
import { openapiV2 } from './openapi-v2.ts'
import { openapiV3 } from './openapi-v3.ts'
import { SchemaDocument } from './schema-document.ts'
import { jsonPieces, v2Document, v2Protobuf } from './v2-document.ts'

const recorded = path.join(upstream, 'openapi')
const skip = allRecorded ? false : 'the documents of OpenAPI are not in the seed of the recordings'
const read = (file: string) => JSON.parse(readFileSync(path.join(recorded, file), 'utf8')) as JsonObject

/** Without sentences; a lone `allOf` around a reference (which carries a sentence upstream) is the reference. */
function plain(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value ?? null
  const kept = Object.entries(value).filter(([key, item]) => key !== 'description' || typeof item !== 'string')
  const out = sortedKeys(Object.fromEntries(kept.map(([key, item]) => [key, plain(item)])))
  return Array.isArray(out.allOf) && out.allOf.length === 1 && Object.keys(out).length === 1 ? (out.allOf[0] ?? null) : out
}

const sortedKeys = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))

const plainObject = (value: JsonObject): JsonObject => plain(value) as JsonObject

/** What ours says otherwise, or says and theirs does not. A resource that is not built in yet is no difference here. */
function differences(ours: Json | undefined, theirs: Json | undefined, at: string): string[] {
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return []
  if (ours === undefined && /^\S+ (?:paths|definitions|components schemas) \S+$/.test(at)) return []
  if (isObject(ours) && isObject(theirs)) {
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((key) =>
      differences(ours[key], theirs[key], `${at} ${key}`),
    )
  }
  return [`${at}: ${JSON.stringify(ours)?.slice(0, 200)}, not ${JSON.stringify(theirs)?.slice(0, 200)}`]
}

test('the v3 documents of the built-in groups are those of Kubernetes, but for sentences', { skip }, () => {
  const definitions = builtinResources()
  for (const gv of servedGroupVersions(definitions)) {
    const file = gv.group === '' ? `v3/api_${gv.version}.json` : `v3/apis_${gv.group}_${gv.version}.json`
    assert.ok(existsSync(path.join(recorded, file)), `Kubernetes does not serve ${gv.group}/${gv.version}`)
    const wrong = differences(plain(openapiV3(kubernetesKinds, definitions, gv)), plain(read(file)), file)
    assert.ok(wrong.length === 0, wrong.slice(0, 10).join('\n'))
  }
})

test('the v2 document is that of Kubernetes, but for sentences', { skip }, () => {
  const resolved = (document: JsonObject): JsonObject => {
    const { parameters, ...rest } = plainObject(document)
    const walk = (value: Json | undefined): Json => {
      if (Array.isArray(value)) return value.map(walk)
      if (!isObject(value)) return value ?? null
      if (String(value.$ref).startsWith('#/parameters/'))
        return (isObject(parameters) ? parameters[String(value.$ref).slice(13)] : undefined) ?? null
      return Object.fromEntries(
        Object.entries(value).map(([k, v]) => [
          k,
          k === 'x-kubernetes-group-version-kind' && Array.isArray(v) && v.length > 2 ? 'many' : walk(v),
        ]),
      )
    }
    const out = walk(rest)
    return isObject(out) ? out : {}
  }
  const wrong = differences(resolved(atOnce(openapiV2(kubernetesKinds, builtinResources()))), resolved(read('v2.json')), 'v2')
  assert.ok(wrong.length === 0, `${wrong.length}: ${wrong.slice(0, 10).join('\n')}`)
})

/** A custom resource as the server sees one. */
const CRONTABS: ResourceDefinition = {
  group: 'stable.example.com',
  names: { kind: 'CronTab', plural: 'crontabs', singular: 'crontab' },
  scope: 'Namespaced',
  storageVersion: 'v1',
  rules: {},
  customDefinition: 'crontabs.stable.example.com',
  subresources: { status: { kind: 'status' } },
  versions: [
    {
      version: 'v1',
      served: true,
      columns: [],
      schema: () => ({
        type: 'struct',
        required: ['spec'],
        description: 'Runs things.',
        fields: new Map([
          [
            'spec',
            {
              tag: 0,
              omitEmpty: false,
              schema: { type: 'scalar', scalar: 'integer', constraints: { minimum: 1, format: 'int32' }, default: 3 },
            },
          ],
        ]),
      }),
    },
  ],
}

test('custom resources are described like built-in ones', () => {
  const document = openapiV3(kubernetesKinds, [CRONTABS], { group: 'stable.example.com', version: 'v1' }) as unknown as {
    paths: Record<string, Record<string, JsonObject>>
    components: { schemas: Record<string, JsonObject> }
  }
  const component = document.components.schemas['com.example.stable.v1.CronTab']
  assert.deepEqual(component?.['x-kubernetes-group-version-kind'], [{ group: 'stable.example.com', version: 'v1', kind: 'CronTab' }])
  assert.deepEqual(((component?.properties ?? {}) as JsonObject).spec, { type: 'integer', default: 3, minimum: 1, format: 'int32' })
  assert.equal(component?.description, 'Runs things.')
  const patch = document.paths['/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/status']?.patch
  assert.equal(patch?.operationId, 'patchStableExampleComV1NamespacedCronTabStatus')
  assert.deepEqual(Object.keys(((patch?.requestBody ?? {}) as JsonObject).content ?? {}), [
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
  ])
})

test('v2 does not say what it cannot say', () => {
  const schema: Schema = {
    type: 'struct',
    required: [],
    constraints: { anyOf: [{ required: ['a'] }], maxProperties: 3 },
    fields: new Map([['a', { tag: 0, omitEmpty: true, schema: { type: 'scalar', scalar: 'string', nullable: true, description: 'A.' } }]]),
  }
  const document = new SchemaDocument(2, kubernetesKinds, () => [])
  assert.deepEqual(document.inline(schema), { type: 'object', properties: { a: { description: 'A.' } }, maxProperties: 3 })
})

test('documents are cached until their definitions change, and the index carries their hash', async () => {
  const definitions = { generation: 1, list: builtinResources() as readonly ResourceDefinition[], all: () => definitions.list }
  const documents = createOpenapiDocuments(kubernetesKinds, definitions)
  const before = documents.index()
  const core = documents.v3('api/v1')
  assert.equal(documents.v3('apis/stable.example.com/v1'), undefined)
  assert.match(before.bytes.toString(), new RegExp(`"/openapi/v3/api/v1\\?hash=${core?.hash}"`))
  definitions.list = [...definitions.list, CRONTABS]
  definitions.generation++
  assert.equal(documents.v3('api/v1'), core)
  const custom = documents.v3('apis/stable.example.com/v1')
  definitions.list = [...definitions.list.slice(0, -1), { ...CRONTABS, scope: 'Cluster' }]
  definitions.generation++
  assert.equal(documents.v3('apis/stable.example.com'), undefined)
  assert.ok(documents.v3('apis/apps'))
  assert.notEqual(documents.v3('apis/stable.example.com/v1')?.hash, custom?.hash)
  assert.equal(documents.v3('api/v1'), core)
  assert.ok(documents.v3('apis/stable.example.com/v1'))
  assert.notEqual(documents.index().hash, before.hash)
  assert.match((await documents.v2()).bytes.toString(), /com\.example\.stable\.v1\.CronTabList/)
  assert.ok((await documents.v2Protobuf()).bytes.includes('com.example.stable.v1.CronTabList'))
})

test('the v2 document of many definitions is made in as many steps, and cut text is the same text', () => {
  const many = Array.from({ length: 500 }, (_, i) => ({ ...CRONTABS, group: `g${i}.example.com` }))
  const work = v2Document(kubernetesKinds, many, [])
  let steps = 0
  let step = work.next()
  for (; step.done !== true; step = work.next()) steps++
  assert.ok(steps > 500, `${steps} steps`)
  assert.equal(step.value.bytes.toString(), JSON.stringify(step.value.json))
  for (const json of [{}, { a: {} }, { a: { b: 1 }, c: [1], d: 'x', e: {} }])
    assert.equal([...jsonPieces(json)].join(''), JSON.stringify(json))
})

test('a definition in protobuf may be cut into parts', () => {
  const paths = { '/a': { get: { operationId: 'a' } }, '/b': { get: { operationId: 'b' } } }
  const whole = encodeGnosticV2({ swagger: '2.0', paths })
  const parts = atOnce(v2Protobuf({ json: { swagger: '2.0', paths }, bytes: Buffer.alloc(0), hash: '' }))
  assert.deepEqual(parts, whole)
})

test('the protobuf of the v2 document equals its JSON', () => {
  const bytes = encodeGnosticV2({
    swagger: '2.0',
    definitions: { A: { type: 'object', required: ['b'], properties: { b: { $ref: '#/definitions/B' } }, 'x-y': [1] } },
    paths: { '/a': { get: { parameters: [{ $ref: '#/parameters/p' }, { name: 'q', in: 'query', type: 'string' }] } } },
  })
  // 1: swagger; 8: paths {2: {1: name, 2: {2: get {8: parameters}}}}; 9: definitions {1: {1: name, 2: schema}}
  const hex = (text: string) => Buffer.from(text).toString('hex')
  assert.ok(bytes.toString('hex').startsWith(`0a03${hex('2.0')}42`))
  assert.ok(bytes.toString('hex').includes(hex('#/parameters/p')))
  assert.ok(bytes.includes('[1]\n') && bytes.includes('x-y'))
})

test('the protobuf of a v3 document equals its JSON', () => {
  const schemas = { A: { type: 'object', properties: { b: { default: '' }, c: { default: {} } }, additionalProperties: false } }
  const bytes = encodeGnosticV3({ openapi: '3.0.0', components: { schemas } })
  const hex = bytes.toString('hex')
  assert.ok(hex.startsWith(`0a05${Buffer.from('3.0.0').toString('hex')}2a`))
  assert.ok(hex.includes('8a02021a00'), 'an empty string is a default')
  assert.ok(hex.includes('8202021000'), 'false is an answer')
})

test('extensions of custom schemas appear as keywords that generic clients know', () => {
  const v3 = new SchemaDocument(3, kubernetesKinds, () => [])
  const v2 = new SchemaDocument(2, kubernetesKinds, () => [])
  assert.deepEqual(v3.inline({ type: 'scalar', scalar: 'int-or-string' }), {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  })
  const embedded: Schema = { type: 'struct', fields: new Map(), required: ['spec'], embedded: true, preserveUnknown: true }
  const written = plainObject(v3.inline(embedded))
  assert.deepEqual(written.required, ['kind', 'apiVersion', 'spec'])
  assert.deepEqual(written.properties, {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
  })
  const anything: Schema = {
    type: 'struct',
    openapiName: 'com.example.v1.Anything',
    fields: new Map(),
    required: [],
    preserveUnknown: true,
  }
  v2.reference(anything)
  assert.deepEqual(v2.components['com.example.v1.Anything'], { type: 'object' }, 'kubectl refuses nothing of such an object')
})

test('the document of custom resources is that of another part of Kubernetes', () => {
  const [version] = CRONTABS.versions
  assert.ok(version)
  const selectable = { ...CRONTABS, versions: [{ ...version, selectableFields: { 'spec.cronSpec': () => '' } }] }
  const document = openapiV3(kubernetesKinds, [selectable], { group: 'stable.example.com', version: 'v1' })
  const { info, paths, components } = JSON.parse(JSON.stringify(document))
  assert.deepEqual(info, { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' })
  const home = '/apis/stable.example.com/v1'
  assert.deepEqual(
    Object.keys(paths).filter((at) => at === `${home}/` || at.startsWith(`${home}/watch/`)),
    [],
  )
  const collection = paths[`${home}/namespaces/{namespace}/crontabs`]
  const object = paths[`${home}/namespaces/{namespace}/crontabs/{name}`]
  assert.deepEqual(Object.keys(collection.get.responses[200].content), ['application/json', 'application/yaml'])
  assert.deepEqual(Object.keys(object.put.requestBody.content), ['application/json', 'application/yaml'])
  assert.equal(collection.delete.requestBody, undefined)
  assert.deepEqual(Object.keys(object.patch.responses), ['200', '401'])
  for (const name of ['CronTab', 'CronTabList'])
    assert.deepEqual(components.schemas[`com.example.stable.v1.${name}`]['x-kubernetes-selectable-fields'], [
      { fieldPath: 'spec.cronSpec' },
    ])
})
