import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asJson, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { encodeYaml } from '../../../machinery/yaml/yaml.ts'
import { fieldOwners } from './field-owners.ts'
import { yamlLines } from './yaml-lines.ts'

const textOf = (object: JsonObject) =>
  yamlLines(object, [])
    .map(([indent, text]) => (' '.repeat(indent) + text).trimEnd())
    .join('\n')

const OBJECTS: readonly (readonly [what: string, object: JsonObject])[] = [
  ['scalars', { a: 1, b: 'x', c: true, d: null, e: 'true', f: '' }],
  ['nested maps', { spec: { template: { metadata: { labels: { app: 'web' } } } } }],
  ['lists of maps', { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80 }], args: ['x', '-y'] }, { name: 'b' }] } }],
  ['empty lists and maps', { a: {}, b: [], c: [{}] }],
  ['texts of several lines', { data: { file: 'one\n  two\n\nthree\n', tail: 'no end' } }],
  ['texts of several lines in lists', { list: [{ text: 'a\nb\n' }] }],
  ['odd keys', { 'a b': 1, 'x: y': 2, '- z': 3, '': 4, 'example.com/app': 5 }],
]
for (const [what, object] of OBJECTS)
  test(`${what} are written as encodeYaml writes them`, () => assert.equal(textOf(object), encodeYaml(object).trimEnd()))

test('a key that is a property of every object is a key like others', () => {
  const object = JSON.parse('{"__proto__":{"polluted":1},"constructor":"x"}') as JsonObject
  assert.equal(textOf(object), '__proto__:\n  polluted: 1\nconstructor: x')
})

test('a long value is cut, with its length', () => {
  assert.match(textOf({ a: 'x'.repeat(1_000_000) }), /^a: x+… \(1000003 characters\)$/)
})

/** Lines with the names of their owners. */
function owned(object: KubeObject): string[] {
  const { managers, roots } = fieldOwners(object)
  return yamlLines(asJson({ ...object, metadata: { name: 'x' } }), roots).map(
    ([, text, owners]) => `${text} <- ${owners.map((index) => managers[index]?.manager).join()}`,
  )
}

test('fields have the managers that own them: by name, by key of a list, by value of a set, and as a whole', () => {
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      name: 'x',
      managedFields: [
        {
          manager: 'helm',
          operation: 'Apply',
          fieldsV1: { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {} } } } },
        },
        { manager: 'hpa', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:atomic': {}, 'f:set': { 'v:"b"': {} } } } },
      ],
    },
    spec: {
      replicas: 3,
      atomic: { deep: 1 },
      containers: [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'j' },
      ],
      set: ['a', 'b'],
    },
  }
  const lines = owned(object)
  for (const expected of [
    'replicas: 3 <- hpa',
    'deep: 1 <- hpa',
    '- image: i <- helm',
    '- image: j <- ',
    '- a <- ',
    '- b <- hpa',
    'spec: <- ',
  ])
    assert.ok(lines.includes(expected), `${expected}\n${lines.join('\n')}`)
})

test('a set of fields that cannot be read owns nothing', () => {
  const fieldsV1 = { 'f:spec': { 'k:{"name"': {}, 'f:a': 'text' } } as never
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'T',
    metadata: { managedFields: [{ manager: 'odd', fieldsV1 }] },
    spec: { a: [{ name: 'x' }] },
  }
  assert.ok(owned(object).every((line) => line.endsWith('<- ')))
})
