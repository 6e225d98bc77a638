import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json, JsonObject, KubeObject } from '../object.ts'
import type { Field, Schema } from '../schema/schema.ts'
import { isStatus } from '../status-error.ts'
import { applyPatch } from './apply.ts'
import type { Applied } from './apply-types.ts'
import { trackUpdate } from './track-update.ts'

const field = (schema: Schema): Field => ({ schema, tag: 0, omitEmpty: true })
const struct = (fields: Record<string, Schema>): Schema => ({
  type: 'struct',
  fields: new Map(Object.entries(fields).map(([name, schema]) => [name, field(schema)])),
  required: [],
})
const text: Schema = { type: 'scalar', scalar: 'string' }
const number: Schema = { type: 'scalar', scalar: 'int32' }
const strings: Schema = { type: 'map', values: text }
const withDefault: Schema = { ...text, default: 'TCP' }
const schema = struct({
  apiVersion: text,
  kind: text,
  metadata: struct({
    name: text,
    uid: text,
    labels: strings,
    finalizers: { type: 'list', items: text, listType: 'set' },
    managedFields: { type: 'list', items: struct({ manager: text, time: { type: 'scalar', scalar: 'time' } }) },
  }),
  spec: struct({
    replicas: number,
    paused: { type: 'scalar', scalar: 'bool' },
    args: { type: 'list', items: text },
    containers: {
      type: 'list',
      listType: 'map',
      listMapKeys: ['name'],
      items: struct({
        name: text,
        image: text,
        ports: {
          type: 'list',
          listType: 'map',
          listMapKeys: ['port', 'protocol'],
          items: struct({ port: number, protocol: withDefault, host: number }),
        },
      }),
    },
    free: { type: 'any' },
  }),
  status: struct({ ready: number }),
})

const now = '2026-01-01T00:00:00Z'
const context = { apiVersion: 'v1', kind: 'Thing', schema, subresource: '', resetFields: [['status']], now }

/** As a typed decoder leaves it: no nulls, and structs always there. */
const decoded = (object: JsonObject): JsonObject => {
  const bare = JSON.parse(JSON.stringify(object, (_key, value) => (value === null ? undefined : value))) as JsonObject
  return { ...bare, spec: bare.spec ?? {} }
}

interface State {
  object: KubeObject | undefined
}

function apply(state: State, manager: string, body: JsonObject, force = false): Applied {
  const patch = { apiVersion: 'v1', kind: 'Thing', ...body }
  const applied = applyPatch({ ...context, live: state.object, patch, manager, force })
  const object = decoded(applied.object) as unknown as KubeObject
  state.object = {
    ...object,
    metadata: { ...object.metadata, uid: 'u', ...(applied.managedFields && { managedFields: applied.managedFields }) },
  }
  return applied
}

function update(state: State, manager: string, change: (draft: KubeObject) => void): void {
  const updated = structuredClone(state.object ?? { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' } }) as KubeObject
  change(updated)
  const managedFields = trackUpdate({ ...context, live: state.object, updated, manager })
  delete updated.metadata.managedFields
  state.object = { ...updated, metadata: { ...updated.metadata, uid: 'u', ...(managedFields && { managedFields }) } }
}

const owned = (state: State) =>
  Object.fromEntries((state.object?.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]))
const spec = (state: State) => (state.object as unknown as { spec: Json } | undefined)?.spec
const message = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    assert.ok(isStatus(error), String(error))
    return `${error.code} ${error.message}`
  }
  return ''
}

test('keys of items are written with the escapes of Go', () => {
  const state: State = { object: undefined }
  apply(state, 'm', { spec: { containers: [{ name: 'a<&>\u2028' }] } })
  const item = { '.': {}, 'f:name': {} }
  const key = 'k:{"name":"a\\u003c\\u0026\\u003e\\u2028"}'
  assert.deepEqual(owned(state), { 'm Apply': { 'f:spec': { 'f:containers': { [key]: item } } } })
})

test('a field goes when its last owner no longer names it', () => {
  const state: State = { object: undefined }
  apply(state, 'm1', { spec: { replicas: 1, args: ['x'] } })
  apply(state, 'm2', { spec: { replicas: 1 } })
  apply(state, 'm1', { spec: { paused: true } })
  assert.deepEqual(spec(state), { replicas: 1, paused: true })
  apply(state, 'm2', {})
  assert.deepEqual(spec(state), { paused: true })
  assert.deepEqual(owned(state), { 'm1 Apply': { 'f:spec': { 'f:paused': {} } } })
})

test('another value of an owned field is a conflict, which force wins', () => {
  const state: State = { object: undefined }
  apply(state, 'm1', { spec: { replicas: 1, containers: [{ name: 'c', image: 'a' }] } })
  assert.equal(
    message(() => apply(state, 'm2', { spec: { replicas: 2, containers: [{ name: 'c', image: 'b' }] } })),
    '409 Apply failed with 2 conflicts: conflicts with "m1":\n- .spec.replicas\n- .spec.containers[name="c"].image',
  )
  apply(state, 'm2', { spec: { replicas: 2 } }, true)
  assert.deepEqual(owned(state)['m1 Apply'], {
    'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
  })
})

test('an update takes what it changes, and is named with its version in conflicts', () => {
  const state: State = { object: undefined }
  apply(state, 'm1', { spec: { replicas: 1 } })
  update(state, 'tool', (draft) => {
    draft.spec = { replicas: 3 }
    draft.status = { ready: 1 }
  })
  assert.deepEqual(owned(state), { 'tool Update': { 'f:spec': { 'f:replicas': {} } } })
  assert.equal(
    message(() => apply(state, 'm1', { spec: { replicas: 1 } })),
    '409 Apply failed with 1 conflict: conflict with "tool" using v1: .spec.replicas',
  )
})

test('lists keep the order of who applies; the items of others keep their places', () => {
  const state: State = { object: undefined }
  const named = (...names: string[]) => names.map((name) => ({ name }))
  apply(state, 'm1', { spec: { containers: named('a', 'b', 'c') } })
  apply(state, 'm2', { spec: { containers: named('x', 'b') } })
  assert.deepEqual(spec(state), { containers: named('a', 'x', 'b', 'c') })
  apply(state, 'm1', { spec: { containers: named('c', 'a') } })
  assert.deepEqual(spec(state), { containers: named('x', 'b', 'c', 'a') })
})

test('a missing key of an item has its default; duplicate items are refused', () => {
  const state: State = { object: undefined }
  apply(state, 'm1', { spec: { containers: [{ name: 'c', ports: [{ port: 80 }] }] } })
  apply(state, 'm2', { spec: { containers: [{ name: 'c', ports: [{ port: 80, protocol: 'TCP', host: 8 }] }] } })
  assert.deepEqual(spec(state), { containers: [{ name: 'c', ports: [{ port: 80, protocol: 'TCP', host: 8 }] }] })
  assert.equal(
    message(() =>
      apply(state, 'm1', {
        metadata: { name: 'a' },
        spec: { containers: [{ name: 'c', ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }] },
      }),
    ),
    '500 failed to create typed patch object (/a; /v1, Kind=Thing): .spec.containers[name="c"].ports: duplicate entries for key [port=1,protocol="TCP"]',
  )
})

test('a configuration must fit its type', () => {
  const state: State = { object: undefined }
  const faults: [body: JsonObject, text: string][] = [
    [{ nope: 1 }, '.nope: field not declared in schema'],
    [{ spec: { replicas: 'x' } }, '.spec.replicas: expected numeric (int or float), got string'],
    [{ metadata: { name: 5 } }, '.metadata.name: expected string, got &value.valueUnstructured{Value:5}'],
    [{ spec: { containers: {} } }, '.spec.containers: expected list, got &{map[]}'],
    [{ spec: 'x' }, '.spec: expected map, got &{x}'],
    [{ metadata: { finalizers: ['a', 'a'] } }, '.metadata.finalizers: duplicate entries for key [="a"]'],
  ]
  for (const [body, text] of faults) assert.ok(message(() => apply(state, 'm', body)).endsWith(`Kind=Thing): ${text}`), text)
  assert.equal(
    message(() => apply(state, 'm', { kind: 'Other' })),
    '400 invalid object type: /v1, Kind=Other',
  )
})

test('a configuration has no managed fields, unless an entry of them cannot be read', () => {
  const state: State = { object: undefined }
  const MUST_BE_NIL = '400 metadata.managedFields must be nil'
  const tries: [entries: Json[], expected: string | RegExp][] = [
    [[], MUST_BE_NIL],
    [[{ manager: 'a' }], MUST_BE_NIL],
    [[{ manager: 'a' }, { manager: 5 }], /\.managedFields\[1\]\.manager: expected string/],
    [['x'], /\.managedFields\[0\]: expected map/],
  ]
  for (const [entries, expected] of tries)
    assert.match(
      message(() => apply(state, 'm', { metadata: { managedFields: entries } })),
      new RegExp(expected),
    )
})

test('what stood there before the first apply belongs to before-first-apply', () => {
  const state: State = { object: { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', uid: 'u' }, spec: { replicas: 1 } } }
  assert.equal(
    message(() => apply(state, 'm1', { spec: { replicas: 2 } })),
    '409 Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .spec.replicas',
  )
})

test('an apply that changes nothing keeps its time; so does an update', () => {
  const state: State = { object: undefined }
  apply(state, 'm1', { spec: { replicas: 1 } })
  const before = state.object?.metadata.managedFields
  const again = applyPatch({
    ...context,
    now: '2027-01-01T00:00:00Z',
    live: state.object,
    patch: { apiVersion: 'v1', kind: 'Thing', spec: { replicas: 1 } },
    manager: 'm1',
    force: false,
  })
  assert.equal(again.changed, false)
  assert.deepEqual(again.managedFields, before)
  assert.equal(trackUpdate({ ...context, now: 'later', live: state.object, updated: state.object as KubeObject, manager: 'x' }), before)
})

test('more than ten updaters are taken together, the oldest first', () => {
  const state: State = { object: undefined }
  for (let i = 0; i < 13; i++)
    update(state, `tool-${String(i).padStart(2, '0')}`, (draft) => {
      draft.metadata.labels = { ...draft.metadata.labels, [`l${i}`]: 'x' }
    })
  const names = (state.object?.metadata.managedFields ?? []).map((entry) => entry.manager)
  assert.equal(names.length, 10)
  assert.ok(names.includes('ancient-changes'))
})

test('an empty list of managed fields clears them', () => {
  const state: State = { object: undefined }
  apply(state, 'm1', { spec: { replicas: 1 } })
  update(state, 'tool', (draft) => {
    draft.metadata.managedFields = [{}]
  })
  assert.equal(state.object?.metadata.managedFields, undefined)
})

// Lists and maps that became empty are left out: Kubernetes itself makes null of them first, and an empty one at the second apply.
test('the fields of an object with a list item that has none of its keys are not tracked', () => {
  const state: State = { object: undefined }
  const setContainers = (...containers: Json[]) => update(state, 'up', (draft) => Object.assign(draft, { spec: { containers } }))
  setContainers({ name: 'c' })
  assert.deepEqual(Object.keys(owned(state)), ['up Update'])
  setContainers({ name: 'c' }, { image: 'a' })
  assert.deepEqual(owned(state), {})
  const keyless = `.spec.containers: element 1: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`
  const refused = message(() => apply(state, 'm', {}))
  assert.ok(
    refused.startsWith('500 failed to create manager for existing fields: failed to convert new object (/a; /v1, Kind=Thing)'),
    refused,
  )
  assert.ok(refused.endsWith(keyless), refused)
  assert.equal(
    message(() => apply({ object: undefined }, 'm', { spec: { containers: [{ name: 'c' }, { image: 'a' }] } })),
    `500 failed to create typed patch object (/; /v1, Kind=Thing): ${keyless}`,
  )
})

test('applying twice is applying once, and what was applied is there', () => {
  const container = fc.record({ name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('x', 'y') })
  const body = fc.record(
    {
      labels: fc.dictionary(fc.constantFrom('l', 'm'), fc.constantFrom('1', '2'), { noNullPrototype: true }),
      spec: fc.record(
        {
          replicas: fc.integer({ min: 0, max: 3 }),
          args: fc.array(fc.constantFrom('p', 'q'), { maxLength: 2 }),
          containers: fc.uniqueArray(container, { selector: (c) => c.name, minLength: 1, maxLength: 3 }),
          free: fc.dictionary(fc.constantFrom('p', 'q'), fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer())), {
            noNullPrototype: true,
            minKeys: 1,
          }),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
    },
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<JsonObject>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('m1', 'm2'), body), { minLength: 1, maxLength: 6 }), (steps) => {
      const state: State = { object: undefined }
      for (const [manager, { labels, ...rest }] of steps) {
        // Something is always owned: an object that nobody owns starts anew with before-first-apply.
        const config = {
          ...rest,
          metadata: { name: manager, labels: { [manager]: '1', ...(labels as Record<string, string> | undefined) } },
        }
        apply(state, manager, config, true)
        const once = structuredClone(state.object)
        const twice = apply(state, manager, config, false)
        assert.equal(twice.changed, false)
        assert.deepEqual(state.object, once)
      }
    }),
    { numRuns: 300 },
  )
})

test('an object that does not fit its type has no managed fields', () => {
  const updated: KubeObject = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, spec: { replicas: 'x' } }
  assert.equal(trackUpdate({ ...context, live: undefined, updated, manager: 'm' }), undefined)
})

test('nothing is applied to a stored object that does not fit its type; duplicate items do', () => {
  const state: State = { object: undefined }
  apply(state, 'm', { metadata: { name: 'a' }, spec: { replicas: 1 } })
  const stale = structuredClone(state.object) as KubeObject
  Object.assign(stale, { spec: { replicas: 'x', containers: [{ name: 'c' }, { name: 'c' }] } })
  const fault = '(/a; /v1, Kind=Thing): .spec.replicas: expected numeric (int or float), got string'
  assert.equal(
    message(() => apply({ object: stale }, 'n', {})),
    `500 failed to create typed live object ${fault}`,
  )
  delete stale.metadata.managedFields
  assert.equal(
    message(() => apply({ object: stale }, 'n', {})),
    `500 failed to create manager for existing fields: failed to convert new object (/a; /v1, Kind=Thing) to smd typed${fault.slice(fault.indexOf(':'))}`,
  )
})

test('an object that does not fit the version of another owner is refused', () => {
  const state: State = { object: undefined }
  apply(state, 'm', { metadata: { name: 'a', labels: { a: 'b' } } })
  const live = structuredClone(state.object) as KubeObject
  const entry = live.metadata.managedFields?.[0]
  assert.ok(entry)
  entry.apiVersion = 'v2'
  const fields = {
    apiVersion: text,
    kind: text,
    metadata: struct({ name: text, uid: text, labels: strings }),
    spec: struct({ args: strings }),
  }
  const v2 = { schema: struct(fields), convert: (o: KubeObject) => o, convertBack: (o: KubeObject) => o, hasGoTypes: false }
  const otherVersion = (apiVersion: string) => (apiVersion === 'v2' ? v2 : undefined)
  const patch = { apiVersion: 'v1', kind: 'Thing', spec: { replicas: 2 } }
  assert.equal(
    message(() => applyPatch({ ...context, otherVersion, live, patch, manager: 'n', force: true })),
    '500 failed to convert new object: .spec.replicas: field not declared in schema',
  )
})
