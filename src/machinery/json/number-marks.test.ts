import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyJsonPatch, decodeJsonPatch, PatchError } from './json-patch.ts'
import { applyMergePatch } from './merge-patch.ts'
import { markNumbers, showNumbers, unmarkNumbers } from './number-marks.ts'
import { decodeJson, encodeJson } from './strict-json.ts'

const marked = (text: string) => {
  const { value, numbers } = decodeJson(text)
  return markNumbers(value, numbers)
}

test('numbers of a merge patch stay as they are written', () => {
  const after = applyMergePatch({ a: 1, b: 2 }, marked('{"a":1.0,"c":[{"d":1e3}],"e":12345678901234567890}'))
  assert.equal(showNumbers(encodeJson(after)), '{"a":1.0,"b":2,"c":[{"d":1e3}],"e":12345678901234567890}')
  const { value, numbers } = unmarkNumbers(after)
  assert.deepEqual(value, { a: 1, b: 2, c: [{ d: 1000 }], e: Number('12345678901234567890') })
  assert.deepEqual(numbers.get(value as object)?.get('a'), '1.0')
})

test('a JSON patch tests numbers as they are written', () => {
  const patch = (text: string) => applyJsonPatch({ a: [1] }, decodeJsonPatch(marked(text)))
  assert.deepEqual(patch('[{"op":"test","path":"/a/0","value":1}]'), { a: [1] })
  assert.throws(() => patch('[{"op":"test","path":"/a/0","value":1.0}]'), PatchError)
  assert.equal(showNumbers(encodeJson(patch('[{"op":"add","path":"/a/0","value":1.0}]'))), '{"a":[1.0,1]}')
})
