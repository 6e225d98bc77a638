import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  bitString,
  boolean,
  children,
  DerError,
  decode,
  encode,
  explicit,
  integer,
  octetString,
  oid,
  oidText,
  sequence,
  set,
  TAG,
  time,
  utf8,
} from './der.ts'

/** Values as X.690 writes them, in hex. */
const BYTES: readonly (readonly [value: string, encoded: Buffer, hex: string])[] = [
  ['an empty sequence', sequence(), '3000'],
  ['a sequence of two', sequence(boolean(true), boolean(false)), '30060101ff010100'],
  ['a set', set(boolean(true)), '31030101ff'],
  ['an explicit tag', explicit(3, sequence()), 'a3023000'],
  ['octets', octetString(Buffer.from([1, 2])), '04020102'],
  ['text', utf8('é'), '0c02c3a9'],
  ['bits', bitString(Buffer.from([0xa4]), 2), '030202a4'],
  ['whole bytes of bits', bitString(Buffer.from([0xff])), '030200ff'],
  ['zero', integer(Buffer.from([0])), '020100'],
  ['leading zeros go', integer(Buffer.from([0, 0, 5])), '020105'],
  ['127', integer(Buffer.from([0x7f])), '02017f'],
  ['a set sign bit gets a zero before it', integer(Buffer.from([0x80])), '02020080'],
  ['a name of small arcs', oid('2.5.4.3'), '0603550403'],
  ['a name of large arcs', oid('1.2.840.113549'), '06062a864886f70d'],
  ['an arc of 128', oid('1.3.128'), '06032b8100'],
  ['an arc of 127', oid('1.3.127'), '06022b7f'],
  ['a time of this century', time(Date.UTC(2026, 0, 2, 3, 4, 5)), `170d${Buffer.from('260102030405Z').toString('hex')}`],
  ['the last short time', time(Date.UTC(2049, 11, 31)), `170d${Buffer.from('491231000000Z').toString('hex')}`],
  ['the first long time', time(Date.UTC(2050, 0, 1)), `180f${Buffer.from('20500101000000Z').toString('hex')}`],
]
for (const [value, encoded, hex] of BYTES) test(`DER of ${value}`, () => assert.equal(encoded.toString('hex'), hex))

/** Sizes around the limits of the length's forms. */
const LENGTHS: readonly (readonly [size: number, header: string])[] = [
  [127, '047f'],
  [128, '048180'],
  [255, '0481ff'],
  [256, '04820100'],
  [65_536, '0483010000'],
]
for (const [size, header] of LENGTHS)
  test(`the length of ${size} bytes`, () => {
    const encoded = octetString(Buffer.alloc(size, 7))
    assert.equal(encoded.subarray(0, header.length / 2).toString('hex'), header)
    const { tag, content, raw } = decode(Buffer.concat([encoded, Buffer.from([1, 1, 0])]))
    assert.deepEqual([tag, content.length, raw.length], [TAG.octetString, size, encoded.length])
  })

const MALFORMED: readonly (readonly [rule: string, hex: string, message: string])[] = [
  ['nothing', '', 'truncated value'],
  ['a tag alone', '30', 'truncated value'],
  ['a tag of several bytes', '1f00', 'truncated value'],
  ['an indefinite length', '3080', 'bad length'],
  ['a length of five bytes', '30850000000001ff', 'bad length'],
  ['a length that ends early', '308201', 'bad length'],
  ['content that ends early', '0402ff', 'truncated value'],
  ['long content that ends early', '048180ff', 'truncated value'],
]
for (const [rule, hex, message] of MALFORMED)
  test(`malformed: ${rule}`, () =>
    assert.throws(
      () => decode(Buffer.from(hex, 'hex')),
      (error) => error instanceof DerError && error.message === message,
    ))

test('a length of four bytes is read', () => assert.equal(decode(Buffer.from('048400000001ff', 'hex')).content.toString('hex'), 'ff'))

test('children are read to the last byte', () => {
  assert.deepEqual(
    children(decode(sequence(boolean(true), utf8('a'), sequence()))).map(({ tag }) => tag),
    [0x01, TAG.utf8, TAG.sequence],
  )
  assert.throws(() => children(decode(encode(TAG.sequence, Buffer.from([0x04, 0x05])))), DerError)
})

for (const text of ['0.9', '1.2.840.113549.1.9.14', '2.5.29.17', '2.100.3', '1.3.6.1.4.1.57683.2', '1.39.128.16384'])
  test(`the object identifier ${text} is read as it is written`, () => assert.equal(oidText(decode(oid(text))), text))

test('object identifiers of any arcs are read as they are written', () => {
  const arcs = fc.tuple(fc.nat(1), fc.nat(39), fc.array(fc.nat(2 ** 31 - 1), { maxLength: 8 }))
  fc.assert(
    fc.property(arcs, ([top, second, rest]) =>
      assert.equal(oidText(decode(oid([top, second, ...rest].join('.')))), [top, second, ...rest].join('.')),
    ),
  )
})
