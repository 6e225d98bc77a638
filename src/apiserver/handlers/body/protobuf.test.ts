import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEnvelope, wrapMessage } from '../../../machinery/protobuf/envelope.ts'
import type { Kinds } from '../../kinds.ts'
import { ProtobufError, protobufToJson } from './protobuf.ts'

const kinds = { has: () => false, byOpenapiName: () => undefined } as unknown as Kinds

const jsonEnvelope = (text: string): Buffer => {
  // The content type says JSON: field 4 of the envelope.
  const plain = wrapMessage({ apiVersion: 'v1', kind: 'Any' }, Buffer.from(text))
  return Buffer.concat([plain.subarray(0, plain.length - 2), Buffer.from([0x22, 16]), Buffer.from('application/json')])
}

test('an envelope with JSON content is read as JSON', () => {
  assert.equal(openEnvelope(jsonEnvelope('{}')).contentType, 'application/json')
  assert.deepEqual(protobufToJson(kinds, jsonEnvelope('{"kind":"Any","a":1}')), { kind: 'Any', a: 1 })
})

for (const text of ['{', '', '[]', '"a"', 'null', '{"a":}'])
  test(`broken JSON in an envelope, and JSON that is no object, is a fault of the sender: ${JSON.stringify(text)}`, () =>
    assert.throws(() => protobufToJson(kinds, jsonEnvelope(text)), ProtobufError, text))
