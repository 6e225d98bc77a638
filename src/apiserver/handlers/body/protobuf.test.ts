import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEnvelope, wrapMessage } from '../../../machinery/protobuf/envelope.ts'
import { BYTES, ReverseWriter } from '../../../machinery/protobuf/wire.ts'
import { kubernetesKinds } from '../../../server/kubernetes-kinds.ts'
import { ProtobufError, ProtobufMessageError, protobufToJson } from './protobuf.ts'

const jsonEnvelope = (text: string): Buffer => {
  // The content type says JSON: field 4 of the envelope.
  const plain = wrapMessage({ apiVersion: 'v1', kind: 'Any' }, Buffer.from(text))
  return Buffer.concat([plain.subarray(0, plain.length - 2), Buffer.from([0x22, 16]), Buffer.from('application/json')])
}

const DELETE_OPTIONS = { group: 'meta.k8s.io', version: 'v1', kind: 'DeleteOptions' }
const POD = { group: '', version: 'v1', kind: 'Pod' }
const named = wrapMessage({ apiVersion: 'v1', kind: 'Pod' }, Buffer.from('\u001a'))

/** Asked of kube-apiserver 1.36.3. */
const FAULTS: readonly (readonly [rule: string, bytes: Buffer, message: RegExp])[] = [
  ['no bytes', Buffer.alloc(0), /^empty data$/],
  ['a prefix without an envelope', Buffer.from('k8s\0'), /^empty body$/],
  ['another prefix', Buffer.from('{}'), /does not appear to be a protobuf message/],
  ['a message that ends early', named, /^unexpected EOF$/],
  [
    'a field of another type',
    wrapMessage({ apiVersion: 'v1', kind: 'Pod' }, Buffer.from([8, 1])),
    /^proto: wrong wireType = 0 for field ObjectMeta$/,
  ],
  ['field 0', wrapMessage({ apiVersion: 'v1', kind: 'Pod' }, Buffer.from([0])), /^proto: Pod: illegal tag 0 \(wire type 0\)$/],
  [
    'the end of a group',
    wrapMessage({ apiVersion: 'v1', kind: 'Pod' }, Buffer.from([0x6c])),
    /^proto: Pod: wiretype end group for non-group$/,
  ],
]
for (const [rule, bytes, message] of FAULTS)
  test(`a body that cannot be read says why: ${rule}`, () =>
    assert.throws(() => protobufToJson(kubernetesKinds, bytes, { gvk: POD }), { message }))

test('unknown groups are skipped, also nested ones', () => {
  const groups = Buffer.from([0x6b, 0x08, 0x05, 0x13, 0x14, 0x6c])
  const read = (bytes: Buffer) => protobufToJson(kubernetesKinds, wrapMessage({ apiVersion: 'v1', kind: 'Pod' }, bytes))
  assert.deepEqual(read(groups), { apiVersion: 'v1', kind: 'Pod' })
  assert.throws(() => read(groups.subarray(0, 5)), { message: 'unexpected EOF' })
})

test('only a fault of the message has the kind that the envelope names', () => {
  const read = (bytes: Buffer) => () => protobufToJson(kubernetesKinds, bytes, { gvk: DELETE_OPTIONS })
  assert.throws(read(named), (error) => error instanceof ProtobufMessageError && error.named.kind === 'Pod')
  assert.throws(read(Buffer.from('k8s\0')), (error) => error instanceof ProtobufError && !(error instanceof ProtobufMessageError))
})

test('an envelope without a type has the expected one, and of another kind than options the message is not read', () => {
  const bytes = (apiVersion: string, kind: string) => wrapMessage({ apiVersion, kind }, Buffer.from([8, 5]))
  const read = (apiVersion: string, kind: string) =>
    protobufToJson(kubernetesKinds, bytes(apiVersion, kind), { gvk: DELETE_OPTIONS, alone: true })
  assert.deepEqual(read('', ''), { gracePeriodSeconds: 5, apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' })
  assert.deepEqual(read('a/b/c', ''), { gracePeriodSeconds: 5, apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' })
  assert.deepEqual(read('v1', 'Pod'), { apiVersion: 'v1', kind: 'Pod' })
})

const embeddedAs = (text: string) => {
  const value = new ReverseWriter(64)
  value.bytes(jsonEnvelope(text))
  value.tag(1, BYTES)
  const raw = value.finish()
  const revision = new ReverseWriter(64)
  revision.bytes(raw)
  revision.tag(2, BYTES)
  return wrapMessage({ apiVersion: 'apps/v1', kind: 'ControllerRevision' }, revision.finish())
}

test('an envelope with JSON content in a value without a type is read as JSON', () => {
  assert.equal(openEnvelope(jsonEnvelope('{}')).contentType, 'application/json')
  assert.deepEqual(protobufToJson(kubernetesKinds, embeddedAs('{"kind":"Any","a":1}')).data, { kind: 'Any', a: 1 })
})

for (const text of ['{', '', '[]', '"a"', 'null', '{"a":}'])
  test(`broken JSON in such an envelope, and JSON that is no object, is a fault of the sender: ${JSON.stringify(text)}`, () =>
    assert.throws(() => protobufToJson(kubernetesKinds, embeddedAs(text)), ProtobufError, text))
