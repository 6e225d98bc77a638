import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../../base/steps.ts'
import { applyJsonPatchInTurns, decodeJsonPatch } from '../../../machinery/json/json-patch.ts'
import { applyMergePatch } from '../../../machinery/json/merge-patch.ts'
import { asJson } from '../../../machinery/object.ts'
import { mergedOrder, openedOrder } from './go-order.ts'

const DOCUMENT = '{"kind":"K","a":{"z":1,"b":{"y":1,"x":2}},"list":[{"n":1,"m":2},{"d":1,"c":2}]}'

const JSON_PATCHES: readonly (readonly [rule: string, patch: string, after: string])[] = [
  [
    'objects on the way are sorted, others are not',
    '[{"op":"add","path":"/a/c","value":1}]',
    '{"a":{"b":{"y":1,"x":2},"c":1,"z":1},"kind":"K","list":[{"n":1,"m":2},{"d":1,"c":2}]}',
  ],
  [
    'a value keeps its order',
    '[{"op":"replace","path":"/a","value":{"z":1,"b":2}}]',
    '{"a":{"z":1,"b":2},"kind":"K","list":[{"n":1,"m":2},{"d":1,"c":2}]}',
  ],
  [
    'items that move keep theirs',
    '[{"op":"remove","path":"/list/0"}]',
    '{"a":{"z":1,"b":{"y":1,"x":2}},"kind":"K","list":[{"d":1,"c":2}]}',
  ],
  [
    'an item on the way is sorted',
    '[{"op":"add","path":"/list/1/a","value":0}]',
    '{"a":{"z":1,"b":{"y":1,"x":2}},"kind":"K","list":[{"n":1,"m":2},{"a":0,"c":2,"d":1}]}',
  ],
  [
    'what is tested is sorted',
    '[{"op":"test","path":"/a","value":{"b":{"x":2,"y":1},"z":1}}]',
    '{"a":{"b":{"x":2,"y":1},"z":1},"kind":"K","list":[{"n":1,"m":2},{"d":1,"c":2}]}',
  ],
  [
    'a value that is copied into itself is sorted in both places',
    '[{"op":"copy","from":"/a","path":"/a/b"}]',
    '{"a":{"b":{"b":{"y":1,"x":2},"z":1},"z":1},"kind":"K","list":[{"n":1,"m":2},{"d":1,"c":2}]}',
  ],
  [
    'a copy of what a path led into is sorted',
    '[{"op":"add","path":"/list/0/a","value":0},{"op":"copy","from":"/list","path":"/copy"}]',
    '{"a":{"z":1,"b":{"y":1,"x":2}},"copy":[{"a":0,"m":2,"n":1},{"d":1,"c":2}],"kind":"K","list":[{"a":0,"m":2,"n":1},{"d":1,"c":2}]}',
  ],
]
for (const [rule, patch, after] of JSON_PATCHES)
  test(`JSON patch: ${rule}`, async () => {
    const opened = new WeakSet<object>()
    const patched = await applyJsonPatchInTurns(JSON.parse(DOCUMENT), decodeJsonPatch(JSON.parse(patch)), opened)
    assert.equal(JSON.stringify(atOnce(openedOrder(patched, opened))), after)
  })

const MERGE_PATCHES: readonly (readonly [rule: string, patch: string, after: string])[] = [
  [
    'merged objects are sorted, others are not',
    '{"a":{"c":{"q":1,"p":2}}}',
    '{"a":{"b":{"y":1,"x":2},"c":{"p":2,"q":1},"z":1},"kind":"K","list":[{"n":1,"m":2},{"d":1,"c":2}]}',
  ],
  [
    'an object that stays the same is sorted',
    '{"a":{"none":null}}',
    '{"a":{"b":{"y":1,"x":2},"z":1},"kind":"K","list":[{"n":1,"m":2},{"d":1,"c":2}]}',
  ],
  [
    'a list in the place of an object keeps its order',
    '{"a":[{"z":1,"b":2}]}',
    '{"a":[{"z":1,"b":2}],"kind":"K","list":[{"n":1,"m":2},{"d":1,"c":2}]}',
  ],
  [
    'a value in the place of a list is sorted',
    '{"list":[{"z":1,"b":2}]}',
    '{"a":{"z":1,"b":{"y":1,"x":2}},"kind":"K","list":[{"b":2,"z":1}]}',
  ],
]
for (const [rule, patch, after] of MERGE_PATCHES)
  test(`merge patch: ${rule}`, () => {
    const document = asJson(JSON.parse(DOCUMENT))
    const wanted = asJson(JSON.parse(patch))
    assert.equal(JSON.stringify(atOnce(mergedOrder(document, wanted, applyMergePatch(document, wanted)))), after)
  })
