import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Schema } from '../machinery/schema/schema.ts'
import { documentation } from './documentation.ts'
import { builtinKinds, builtinSchema, isBuiltinKind, kindOfOpenapiName, schemaByOpenapiName } from './schema.ts'

interface Facts {
  readonly openapi: string
  readonly group: string
  readonly version: string
  readonly kinds: readonly string[]
  readonly structs: Readonly<Record<string, unknown>>
}

const facts = globSync('facts/*.json', { cwd: import.meta.dirname }).map(
  (file) => JSON.parse(readFileSync(path.join(import.meta.dirname, file), 'utf8')) as Facts,
)

/** Every schema below one, each once. */
function reachable(schema: Schema, seen = new Set<Schema>()): Set<Schema> {
  if (seen.has(schema)) return seen
  seen.add(schema)
  if (schema.type === 'struct') for (const field of schema.fields.values()) reachable(field.schema, seen)
  if (schema.type === 'list') reachable(schema.items, seen)
  if (schema.type === 'map') reachable(schema.values, seen)
  if (schema.type === 'any' && schema.alternative) reachable(schema.alternative.schema, seen)
  return seen
}

for (const { openapi, structs } of facts)
  test(`every type of the facts has a schema with its Go type: ${openapi}`, () => {
    for (const name of Object.keys(structs)) {
      const schema = schemaByOpenapiName(`${openapi}.${name}`)
      assert.ok(schema, `${openapi}.${name}`)
      for (const part of reachable(schema)) assert.ok(part.go, `${openapi}.${name}`)
    }
  })

for (const { group, version, kinds } of facts)
  test(`field numbers are unique in every struct, except those of inlined ones: ${group}/${version}`, () => {
    for (const kind of kinds) {
      for (const schema of reachable(builtinSchema(group, version, kind)())) {
        if (schema.type !== 'struct') continue
        const own = [...schema.fields.values()].filter((f) => f.tag > 0 && f.inlineOf === undefined).map((f) => f.tag)
        const tags = [...own, ...Array.from(schema.inlines?.values() ?? [], (i) => i.tag)]
        assert.equal(new Set(tags).size, tags.length, schema.openapiName ?? '')
      }
    }
  })

for (const { group, version, kinds } of facts)
  test(`list-map and merge keys name fields of the elements: ${group}/${version}`, () => {
    for (const kind of kinds) {
      for (const schema of reachable(builtinSchema(group, version, kind)())) {
        if (schema.type !== 'struct') continue
        for (const [name, { schema: list, patchMergeKey }] of schema.fields) {
          if (list.type !== 'list' || list.items.type !== 'struct') continue
          for (const key of [...(list.listMapKeys ?? []), ...(patchMergeKey ? [patchMergeKey] : [])]) {
            assert.ok(list.items.fields.has(key), `${schema.openapiName}.${name}: ${key}`)
          }
        }
      }
    }
  })

test('kinds are found by group and version, and by their OpenAPI name', () => {
  assert.ok(builtinKinds('apps', 'v1').includes('DeploymentList'))
  assert.ok(isBuiltinKind('rbac.authorization.k8s.io', 'v1', 'Role'))
  assert.ok(!isBuiltinKind('apps', 'v1beta1', 'Deployment'))
  assert.ok(!isBuiltinKind('..', 'v1', 'Pod'))
  assert.deepEqual(kindOfOpenapiName('io.k8s.api.core.v1.Pod'), { group: '', version: 'v1', kind: 'Pod' })
  assert.equal(kindOfOpenapiName('io.k8s.api.core.v1.PodSpec'), undefined)
  assert.throws(() => builtinSchema('apps', 'v1', 'Nope')(), /Kubernetes 1\.36 has no type Nope in apps_v1/)
})

test('types and fields are documented', () => {
  const docs = documentation('io.k8s.api.core.v1.Container')
  assert.match(docs[''] ?? '', /container/)
  assert.match(docs.image ?? '', /image/)
  assert.deepEqual(documentation('io.k8s.api.core.v1.Nope'), {})
})

test('the schema of a pod is built lazily: unread parts are not built', () => {
  const pod = builtinSchema('', 'v1', 'Pod')
  const schema = pod()
  assert.equal(pod(), schema)
  assert.ok(schema.type === 'struct')
  assert.deepEqual([...schema.fields.keys()], ['kind', 'apiVersion', 'metadata', 'spec', 'status'])
})
