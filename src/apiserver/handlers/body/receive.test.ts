import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_DEPTH } from '../../../machinery/weight.ts'
import { configMaps } from '../../../resources/core/configmaps.ts'
import { handlerDouble } from '../handler.double.ts'

const CONFIG_MAPS = '/api/v1/namespaces/ns/configmaps'
const WIDGETS = '/apis/example.com/v1/namespaces/ns/widgets'
const of = (how: object) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...how })
const unrecognized = (why: string) => `400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): ${why}`
const handled = (kind: string, version: string, why: string) =>
  `400 BadRequest: ${kind} in version "${version}" cannot be handled as a ConfigMap: ${why}`
const noKind = (kind: string, version: string) =>
  `no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`

for (const [rule, query, body, outcome] of [
  ['an object', '', of({}), '201'],
  ['an object without a kind', '', of({ kind: undefined, apiVersion: undefined }), '201'],
  ['no body', '', '', unrecognized("couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)")],
  ['broken text', '', '{"a":', unrecognized(`couldn't get version/kind; json parse error: unexpected end of JSON input ({"a":)`)],
  [
    'a list',
    '',
    '[1]',
    unrecognized(
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b315d)',
    ),
  ],
  ['another kind', '', of({ kind: 'Secret' }), handled('Secret', 'v1', 'converting (v1.Secret) to (core.ConfigMap): unknown conversion')],
  [
    'a kind that every version has',
    '',
    of({ apiVersion: 'apps/v1beta2', kind: 'Status' }),
    handled('Status', 'v1beta2', 'converting (v1.Status) to (core.ConfigMap): unknown conversion'),
  ],
  ['a kind that does not exist', '', of({ kind: 'Nothing' }), handled('Nothing', 'v1', noKind('Nothing', 'v1'))],
  ['another version', '', of({ apiVersion: 'v2' }), handled('ConfigMap', 'v2', noKind('ConfigMap', 'v2'))],
  [
    'a version with two slashes',
    '',
    of({ apiVersion: 'a/b/c' }),
    unrecognized('unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)'),
  ],
  [
    'a group without a version',
    '',
    '{"apiVersion":"apps/"}',
    `400 BadRequest: ConfigMap in version "" cannot be handled as a ConfigMap: Object 'apiVersion' is missing in '{"apiVersion":"apps/"}'`,
  ],
  ['neither group nor version', '', of({ apiVersion: '/' }), '201'],
  [
    'the internal version of another kind',
    '',
    of({ apiVersion: '__internal', kind: 'Secret' }),
    handled(
      'Secret',
      '__internal',
      'no kind "Secret" is registered for the internal version of group "" in scheme "pkg/runtime/scheme.go:111"',
    ),
  ],
  [
    'the internal version',
    '',
    of({ apiVersion: '__internal' }),
    '400 BadRequest: the API version in the data (__internal) does not match the expected API version (v1)',
  ],
  [
    'the internal version, strict',
    '?fieldValidation=Strict',
    of({ apiVersion: '__internal' }),
    handled('ConfigMap', '__internal', 'strict decoding error: unknown field "metadata"'),
  ],
  ['an unknown field', '', of({ extra: 1 }), '201 warning: unknown field "extra"'],
  ['an unknown field, ignored', '?fieldValidation=Ignore', of({ extra: 1 }), '201'],
  [
    'an unknown field, strict',
    '?fieldValidation=Strict',
    of({ extra: 1 }),
    handled('ConfigMap', 'v1', 'strict decoding error: unknown field "extra"'),
  ],
  ['a duplicate field', '', '{"data":{},"data":{},"metadata":{"name":"a"}}', '201 warning: duplicate field "data"'],
  [
    'a duplicate field, strict',
    '?fieldValidation=Strict',
    '{"data":{},"data":{},"metadata":{"name":"a"}}',
    handled('ConfigMap', 'v1', 'strict decoding error: duplicate field "data"'),
  ],
  [
    'a value of another type',
    '',
    of({ data: { a: 1 } }),
    handled('ConfigMap', 'v1', 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string'),
  ],
] as const)
  test(`a create with ${rule}: ${outcome}`, async () => {
    await using world = await handlerDouble(configMaps)
    assert.equal(await world.outcome(`POST ${CONFIG_MAPS}${query}`, { body }), outcome)
  })

const custom = (how: object) =>
  JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: 1 }, ...how })
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

for (const [rule, body, outcome] of [
  ['an object', custom({}), '201'],
  [
    'no kind',
    '{"apiVersion":"example.com/v1"}',
    `400 BadRequest: the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}' ({"apiVersion":"example.com/v1" ...)`,
  ],
  [
    'another version',
    custom({ apiVersion: 'example.com/v2' }),
    '400 BadRequest: the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)',
  ],
  [
    'a number beyond float64',
    custom({}).replace('"size":1', '"size":1e999'),
    '400 BadRequest: Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number 1e999 into Go value of type float64',
  ],
] as const)
  test(`a create of a custom object with ${rule}: ${outcome}`, async () => {
    await using world = await handlerDouble()
    assert.equal(await world.outcome(`POST ${WIDGETS}`, { body }), outcome)
  })

for (const [rule, body, outcome] of [
  [
    'a version that is not served',
    custom({ apiVersion: 'example.com/v9' }),
    '400 BadRequest: Widget in version "v9" cannot be handled as a Widget: strict decoding error: unknown field "spec"',
  ],
  [
    'no version',
    custom({ apiVersion: 'example.com/' }),
    "400 BadRequest: Object 'apiVersion' is missing in 'object has no apiVersion field'",
  ],
  [
    'a null version',
    custom({ apiVersion: null }),
    '400 BadRequest: Widget in version "" cannot be handled as a Widget: .apiVersion accessor error: <nil> is of the type <nil>, expected string',
  ],
] as const)
  test(`a strict create of a custom object with ${rule}: ${outcome}`, async () => {
    await using world = await handlerDouble()
    assert.equal(await world.outcome(`POST ${WIDGETS}?fieldValidation=Strict`, { body }), outcome)
  })

test('a custom object may be nested as deeply as Go reads JSON, and no deeper', async () => {
  await using world = await handlerDouble()
  const sent = (depth: number) =>
    world.outcome(`POST ${WIDGETS}?dryRun=All`, { body: custom({}).replace('"size":1', `"size":1,"deep":${nested(depth)}`) })
  assert.equal(await sent(MOST_DEPTH - 2), '201')
  assert.match(await sent(MOST_DEPTH + 1), /json parse error: exceeded max depth \(\{"apiVersion":"example.com\/v1" \.\.\.\)$/)
})

for (const [contentType, body, outcome] of [
  ['application/yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "1"}\n', '201'],
  ['application/yaml', 'metadata: {name: a}\ndata: {}\ndata: {}\n', '201 warning: line 3: key "data" already set in map'],
  ['', '{"metadata":{"name":"a"}}', '201'],
  ['Application/JSON; charset=utf-8', '{"metadata":{"name":"a"}}', '201'],
  [
    'text/plain',
    '{}',
    '415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
] as const)
  test(`a create as ${JSON.stringify(contentType)} ${JSON.stringify(body)}: ${outcome}`, async () => {
    await using world = await handlerDouble(configMaps)
    assert.equal(await world.outcome(`POST ${CONFIG_MAPS}`, { body, contentType }), outcome)
  })

test('the protobuf of a custom object is looked for only if fields are not validated', async () => {
  await using world = await handlerDouble()
  const sent = (query: string) =>
    world.outcome(`POST ${WIDGETS}${query}`, { body: '{}', contentType: 'application/vnd.kubernetes.protobuf' })
  assert.match(await sent(''), /^415 /)
  assert.match(await sent('?fieldValidation=Ignore'), /^400 .*provided data does not appear to be a protobuf message, expected prefix/)
})

test('a version that is none is no version of a custom object', async () => {
  await using world = await handlerDouble()
  const body = custom({ apiVersion: 'a/b/c' })
  assert.match(await world.outcome(`POST ${WIDGETS}`, { body }), /must be of type Widget\): unexpected GroupVersion string: a\/b\/c/)
})
