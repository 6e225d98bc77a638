import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { builtinSchema } from '../../resources/schema.ts'
import { cloneJson, deepFreeze, type Json, type JsonObject } from '../object.ts'
import { fromUnstructured } from './from-unstructured.ts'
import { strategicMerge } from './strategic-merge.ts'
import { StrategicMergeError } from './strategic-merge-error.ts'

const podSpec = builtinSchema('', 'v1', 'PodSpec')()
const POD: JsonObject = {
  containers: [
    { name: 'a', image: '1', env: [{ name: 'E', value: '1' }] },
    { name: 'b', image: '1' },
  ],
  volumes: [{ name: 'v', emptyDir: {} }],
  tolerations: [{ key: 't' }],
  nodeSelector: { x: '1' },
}
const names = (list: Json | undefined) => (Array.isArray(list) ? list.map((c) => (c as JsonObject).name).join('') : '')
const merge = (patch: JsonObject) => strategicMerge(podSpec, POD, patch).object

test('lists with a merge key are merged, others replaced', () => {
  const merged = merge({
    containers: [{ name: 'b', image: '2' }, { name: 'c' }],
    tolerations: [{ key: 'u' }],
    nodeSelector: { y: '2', x: null },
  })
  assert.deepEqual(merged, {
    containers: [{ name: 'a', image: '1', env: [{ name: 'E', value: '1' }] }, { name: 'b', image: '2' }, { name: 'c' }],
    volumes: [{ name: 'v', emptyDir: {} }],
    tolerations: [{ key: 'u' }],
    nodeSelector: { y: '2' },
  })
})

test('$patch deletes an element, replaces a list, and replaces a map', () => {
  assert.equal(names(merge({ containers: [{ name: 'a', $patch: 'delete' }] }).containers), 'b')
  assert.equal(names(merge({ containers: [{ $patch: 'replace' }, { name: 'z' }] }).containers), 'z')
  assert.deepEqual(merge({ nodeSelector: { $patch: 'replace', z: '1' } }).nodeSelector, { z: '1' })
  assert.deepEqual(merge({ nodeSelector: { $patch: 'delete' } }).nodeSelector, {})
  assert.throws(() => merge({ nodeSelector: { $patch: 'x', b: null, a: [1, 'y'] } }), {
    message: 'unknown patch type: x in map: map[$patch:x a:[1 y] b:<nil>]',
  })
})

test('a struct is not merged into a map, nor a list of maps into one of scalars', () => {
  const maps = { nodeSelector: { x: { y: '1' } } }
  const refused = 'merging an object in json but data type is not struct, instead is: map'
  assert.throws(() => strategicMerge(podSpec, maps, { nodeSelector: { x: { y: '2' } } }), { message: refused })
  const pod = builtinSchema('', 'v1', 'Pod')()
  const merged = () => strategicMerge(pod, { metadata: { finalizers: [{ a: '1' }] } }, { metadata: { finalizers: [{ a: '2' }] } })
  assert.throws(merged, { message: 'cannot merge lists without merge key for string' })
})

test('$setElementOrder sorts what it names, and leaves the rest where it was', () => {
  const order = (...list: string[]) => list.map((name) => ({ name }))
  assert.equal(names(merge({ '$setElementOrder/containers': order('b', 'a') }).containers), 'ba')
  assert.equal(names(merge({ '$setElementOrder/containers': order('c', 'b'), containers: [{ name: 'c' }] }).containers), 'cab')
  assert.throws(() => merge({ '$setElementOrder/containers': order('a'), containers: [{ name: 'c' }] }), {
    message: "The order in patch list:\n[map[name:c]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
  })
})

for (const [rule, patch, message] of [
  [
    'every place of the order is a map',
    { '$setElementOrder/containers': ['a'], containers: [{ $patch: 'replace' }] },
    /^expected a map\[string\]interface \{\}, but received a string$/,
  ],
  [
    'the types of both come before their keys',
    { '$setElementOrder/containers': [82], containers: [{}] },
    /^expected a map\[string\]interface \{\}, but received a int64$/,
  ],
  [
    'an element with a directive after the last place is out of order',
    { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'a' }, { name: 'b', $patch: 'replace' }] },
    /^The order in patch list:/,
  ],
  ['a list of maps without a merge key has no order', { '$setElementOrder/tolerations': [], tolerations: [] }, /declared merge key: $/],
] as const)
  test(`$setElementOrder: ${rule}`, () => assert.throws(() => merge(patch as unknown as JsonObject), { message }))

test('$retainKeys clears what it does not name', () => {
  const merged = merge({ volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] })
  assert.deepEqual(merged.volumes, [{ name: 'v', configMap: { name: 'c' } }])
  assert.throws(() => merge({ volumes: [{ name: 'v', $retainKeys: ['name'], configMap: {} }] }), {
    code: 'bad-request',
    message: 'invalid patch format of retainKeys',
  })
})

test('$deleteFromPrimitiveList takes scalars away', () => {
  const meta = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')()
  const merged = strategicMerge(
    meta,
    { finalizers: ['a', 'b', 'c'] },
    { '$deleteFromPrimitiveList/finalizers': ['b'], labels: { $patch: 'delete' } },
  )
  assert.deepEqual(merged.object, { finalizers: ['a', 'c'] })
  assert.deepEqual(strategicMerge(meta, { finalizers: ['a'] }, { finalizers: ['b', 'a'] }).object.finalizers, ['b', 'a'])
})

test('neither the object nor the patch is changed', () => {
  const before = JSON.stringify(POD)
  const patch = { containers: [{ name: 'a', $patch: 'delete' }], volumes: [{ name: 'v', $retainKeys: ['name'] }] }
  const text = JSON.stringify(patch)
  merge(patch)
  assert.equal(JSON.stringify(POD), before)
  assert.equal(JSON.stringify(patch), text)
})

test('what is patched in is read with the texts of the converter', () => {
  const read = (fields: JsonObject) => fromUnstructured(podSpec, fields).object
  assert.throws(() => read({ containers: {} }), { message: 'cannot restore slice from map' })
  assert.throws(() => read({ nodeName: 5 }), { message: 'cannot convert int64 to string' })
  assert.throws(() => read({ dnsPolicy: 5 }), { message: 'cannot convert int64 to v1.DNSPolicy' })
  assert.throws(() => read({ priority: 'x' }), { message: 'unrecognized type: int32' })
  assert.throws(() => read({ securityContext: [] }), { message: 'cannot restore struct from: slice' })
  assert.deepEqual(read({ priority: 2147483648, containers: [] }), { containers: null, priority: -2147483648 })
  assert.throws(() => fromUnstructured(podSpec, { x: 1, containers: [{ y: 1 }] }, 'Strict'), {
    message: 'strict decoding error: unknown field "containers[0].y", unknown field "x"',
  })
})

/** The list merge by its definition: each element of the patch looks through the whole list for its like. */
function naiveByKey(original: readonly JsonObject[], patch: readonly JsonObject[]): JsonObject[] {
  const deleted = patch.filter((item) => item.$patch === 'delete')
  const wanted = patch.filter((item) => item.$patch !== 'delete')
  const kept = original.filter((item) => !deleted.some((d) => d.name === item.name))
  const merged = [...kept]
  for (const item of wanted) {
    const at = merged.findIndex((m) => m.name === item.name)
    if (at < 0) merged.push(item)
    else merged[at] = { ...merged[at], ...item }
  }
  const rank = (list: readonly JsonObject[], item: JsonObject) => list.findIndex((o) => o.name === item.name)
  const named = merged.filter((m) => rank(wanted, m) >= 0).sort((a, b) => rank(wanted, a) - rank(wanted, b))
  const others = merged.filter((m) => rank(wanted, m) < 0).sort((a, b) => rank(kept, a) - rank(kept, b))
  const out: JsonObject[] = []
  while (named.length > 0 || others.length > 0) {
    const [l, r] = [others[0], named[0]]
    const left = r === undefined || (l !== undefined && rank(kept, l) >= 0 && rank(kept, r) >= 0 && rank(kept, l) < rank(kept, r))
    const next = left ? others.shift() : named.shift()
    if (next !== undefined) out.push(next)
  }
  return out
}

test('merging by key does what looking through the whole list does', () => {
  const container = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e'), image: fc.constantFrom('1', '2') })
  const change = fc.oneof(
    fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'f'), image: fc.constantFrom('3', '4') }),
    fc.record({ name: fc.constantFrom('a', 'b', 'f'), $patch: fc.constant('delete') }),
  )
  fc.assert(
    fc.property(
      fc.array(container, { minLength: 1, maxLength: 6 }),
      fc.array(change, { minLength: 1, maxLength: 5 }),
      (containers, changes) => {
        const { object } = strategicMerge(podSpec, { containers }, { containers: changes })
        assert.deepEqual(cloneJson(object.containers), cloneJson(naiveByKey(containers, changes)))
      },
    ),
    { numRuns: 3000 },
  )
})

test('property: a patch changes neither the object nor the patch', () => {
  const frozen = deepFreeze(cloneJson(POD))
  const said = fc.constantFrom<Json>(
    null,
    'x',
    {},
    { y: '2' },
    { $patch: 'replace' },
    [{ key: 'u' }],
    [{ name: 'a', image: '2' }, { name: 'b' }],
    [{ name: 'b', $patch: 'delete' }],
  )
  const keys = Object.keys(POD).flatMap((key) => [key, `$setElementOrder/${key}`, `$deleteFromPrimitiveList/${key}`])
  const patches = fc.dictionary(fc.constantFrom(...keys, '$retainKeys', '$patch', 'hostname'), said, { noNullPrototype: true })
  const applied = (patch: JsonObject) => {
    try {
      return strategicMerge(podSpec, frozen, patch).object
    } catch (error) {
      assert.ok(error instanceof StrategicMergeError, String(error))
      return undefined
    }
  }
  fc.assert(
    fc.property(patches, (patch) => {
      const before = cloneJson(patch)
      applied(deepFreeze(patch))
      assert.deepEqual(patch, before)
      assert.deepEqual(frozen, POD)
    }),
  )
  assert.equal(merge({ nodeSelector: { x: '2' } }).containers, POD.containers, 'what it does not name costs no copy')
})

test('a patched object shares nothing, and unknown fields are reported with their full path', () => {
  const revision = builtinSchema('apps', 'v1', 'ControllerRevision')()
  const given: JsonObject = {
    metadata: { name: 'r', ownerReferences: [{ name: 'o', uid: 'u', kind: 'K', apiVersion: 'v1', no: 1 }] },
    data: { a: [{}] },
  }
  const parts = new Set<unknown>()
  const inner = (value: unknown, seen: (part: object) => void) => {
    if (typeof value !== 'object' || value === null) return
    seen(value)
    for (const item of Object.values(value)) inner(item, seen)
  }
  inner(given, (part) => parts.add(part))
  const { object, warnings } = fromUnstructured(revision, given, 'Warn')
  inner(object, (part) => assert.ok(!parts.has(part), JSON.stringify(part)))
  assert.deepEqual(object.data, { a: [{}] })
  assert.deepEqual(warnings, ['unknown field "metadata.ownerReferences[0].no"'])
})
