import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bool, int, ints, many, message, one, text, textMap, texts } from './plain-message.ts'
import { ProtobufError, Reader, ReverseWriter } from './wire.ts'

const Inner = message({ name: text(1), ok: bool(7) })
const Outer = message({
  word: text(1),
  yes: bool(2),
  count: int(3),
  words: texts(4),
  counts: ints(5),
  map: textMap(6),
  inner: one(16, Inner),
  inners: many(17, Inner),
})

const word = fc.string({ unit: 'binary' }).filter((w) => w.isWellFormed())
const inner = fc.record({ name: word, ok: fc.boolean() }, { noNullPrototype: true })
const outer = fc.record(
  {
    word,
    yes: fc.boolean(),
    count: fc.maxSafeInteger(),
    words: fc.array(word),
    counts: fc.array(fc.maxSafeInteger()),
    map: fc.uniqueArray(fc.tuple(word, word), { selector: ([k]) => k }).map((pairs) => new Map(pairs)),
    inner: fc.option(inner, { nil: undefined }),
    inners: fc.array(inner),
  },
  { noNullPrototype: true },
)

test('what is written is read again', () => {
  fc.assert(fc.property(outer, (value) => assert.deepEqual(Outer.decode(Outer.encode(value)), value)))
})

test('the bytes are those of the protocol: a kubelet wrote these', () => {
  const given = 'ChEKB0RPTkdMRVMSBmQyLGQzLBIYCgcvZG9uZ2xlEgsvc3J2L2RvbmdsZRgB'
  const Given = message({ envs: textMap(1), mounts: many(2, message({ containerPath: text(1), hostPath: text(2), readOnly: bool(3) })) })
  const value = { envs: new Map([['DONGLES', 'd2,d3,']]), mounts: [{ containerPath: '/dongle', hostPath: '/srv/dongle', readOnly: true }] }
  assert.deepEqual(Given.decode(Buffer.from(given, 'base64')), value)
  assert.equal(Given.encode(value).toString('base64'), given)
})

test('bytes of anybody are read, or refused by name', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        Outer.decode(bytes)
      } catch (error) {
        assert.ok(error instanceof ProtobufError)
      }
    }),
  )
})

test('what is not known is passed over', () => {
  const Newer = message({ word: text(1), more: texts(9), much: int(10) })
  assert.equal(Outer.decode(Newer.encode({ word: 'x', more: ['a', 'b'], much: 5 })).word, 'x')
})

test('an integer of 64 bits is read as the nearest number', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const writer = new ReverseWriter()
      writer.int(value)
      assert.equal(new Reader(writer.finish()).number(), Number(value))
    }),
  )
})
