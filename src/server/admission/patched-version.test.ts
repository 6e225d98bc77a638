import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import { widget, widgets } from '../../apiserver/store/store.double.ts'
import { asJson, type Json, type KubeObject } from '../../machinery/object.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { kubernetesKinds } from '../kubernetes-kinds.ts'
import { patchedVersion } from './patched-version.ts'

const types = { definitions: createResourceRegistry(builtinResources()), kinds: kubernetesKinds }
const config: KubeObject & { data: Json } = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } }
const UNREGISTERED = 'is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"'

for (const [change, wanted] of [
  [{}, 'v1'],
  [{ kind: '', apiVersion: '' }, 'v1'],
  [{ kind: 'Pod' }, 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'],
  [{ kind: 'Secret' }, 'Internal error occurred: illegal base64 data at input byte 0'],
  [{ apiVersion: 'v2' }, `Internal error occurred: no kind "ConfigMap" ${UNREGISTERED}`],
  [{ apiVersion: 'a/b/c' }, 'Internal error occurred: unexpected GroupVersion string: a/b/c'],
  [
    { kind: 1 },
    "Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
  ],
] as const)
  test(`a patch of a config map sets ${JSON.stringify(change)}: ${wanted}`, () => {
    const version = () =>
      patchedVersion(types, types.definitions.get('', 'configmaps'), {
        patched: { ...asJson(config), ...change },
        seen: config,
        version: 'v1',
      })
    if (wanted === 'v1') assert.equal(version(), wanted)
    else assert.throws(version, { message: wanted })
  })

for (const [change, wanted] of [
  [{ kind: '' }, /^Internal error occurred: Object 'Kind' is missing in '\{"apiVersion":"example.com\/v1","kind":"",/],
  [{ kind: 'Secret' }, /^Secret.example.com "a" is invalid: kind: Invalid value: "Secret": must be Widget$/],
  [{ apiVersion: 'v2' }, /^\/v2, Kind=Widget is unstructured and is not suitable for converting to "example.com\/v1"$/],
] as const)
  test(`a patch of a custom object sets ${JSON.stringify(change)}`, () => {
    const seen = widget({ size: 1 })
    const patched: Json = { ...asJson(seen), ...change }
    assert.throws(() => patchedVersion(types, widgets, { patched, seen, version: 'v1' }), { message: wanted })
  })
