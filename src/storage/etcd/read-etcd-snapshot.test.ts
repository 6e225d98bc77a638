/** Snapshots that are damaged in any way are refused in words: no file makes the reader fail otherwise, or read without end. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { SnapshotError } from '../snapshot/snapshot-error.ts'
import { keyValue } from './messages.ts'
import { readEtcdSnapshot } from './read-etcd-snapshot.ts'

const PAGE = 4096
const [BRANCH, LEAF, META] = [1, 2, 4]
const folder = mkdtempSync(path.join(os.tmpdir(), 'etcd-snapshot-'))
after(() => rmSync(folder, { recursive: true }))

function page(id: number, flags: number, count: number, body: Buffer): Buffer {
  const bytes = Buffer.alloc(PAGE)
  bytes.writeUInt32LE(id, 0)
  bytes.writeUInt16LE(flags, 8)
  bytes.writeUInt16LE(count, 10)
  body.copy(bytes, 16)
  return bytes
}

function meta(id: number): Buffer {
  const body = Buffer.alloc(64)
  for (const [at, value] of [
    [0xed0cdaed, 0],
    [2, 4],
    [PAGE, 8],
  ] as const)
    body.writeUInt32LE(at, value)
  body.writeBigUInt64LE(2n, 16)
  let sum = 0xcbf29ce484222325n
  for (const byte of body.subarray(0, 56)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n)
  body.writeBigUInt64LE(sum, 56)
  return page(id, META, 0, body)
}

interface Pair {
  readonly key: Buffer
  readonly value: Buffer
  readonly isBucket?: boolean
}

function leaf(id: number, pairs: readonly Pair[]): Buffer {
  const heads = Buffer.alloc(16 * pairs.length)
  let data = Buffer.alloc(0)
  for (const [i, { key, value, isBucket = false }] of pairs.entries()) {
    const offset = 16 * (pairs.length - i) + data.length
    for (const [k, number] of [Number(isBucket), offset, key.length, value.length].entries()) heads.writeUInt32LE(number, 16 * i + 4 * k)
    data = Buffer.concat([data, key, value])
  }
  return page(id, LEAF, pairs.length, Buffer.concat([heads, data]))
}

function branch(id: number, children: readonly number[]): Buffer {
  const heads = Buffer.alloc(16 * children.length)
  for (const [i, child] of children.entries()) heads.writeBigUInt64LE(BigInt(child), 16 * i + 8)
  return page(id, BRANCH, children.length, heads)
}

const bucketAt = (root: number) => {
  const value = Buffer.alloc(16)
  value.writeBigUInt64LE(BigInt(root), 0)
  return leaf(2, [{ key: Buffer.from('key'), value, isBucket: true }])
}

function revision(n: number): Buffer {
  const bytes = Buffer.alloc(17, '_')
  bytes.writeBigUInt64BE(BigInt(n), 0)
  bytes.writeBigUInt64BE(0n, 9)
  return bytes
}

const pair = (n: number): Pair => {
  const key = Buffer.from(`/registry/configmaps/default/c${n}`)
  const value = keyValue.encode({ key, value: Buffer.from('v'.repeat(n)), createRevision: n, modRevision: n, version: 1, lease: 0 })
  return { key: revision(n), value: Buffer.from(value) }
}

function read(bytes: Buffer): string | undefined {
  const file = path.join(folder, 'db')
  writeFileSync(file, bytes)
  try {
    readEtcdSnapshot(file, '/registry/')
    return undefined
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    return error.message
  }
}

const WHOLE = Buffer.concat([meta(0), meta(1), bucketAt(3), branch(3, [4, 5]), leaf(4, [1, 2, 3].map(pair)), leaf(5, [4, 5].map(pair))])

test('a whole file is read', () => assert.equal(read(WHOLE), undefined))

const DAMAGED: readonly (readonly [what: string, pages: readonly Buffer[], words: RegExp])[] = [
  ['a page that is its own child, twice', [bucketAt(3), branch(3, [3, 3])], /a page is in two places/],
  [
    'pages that multiply',
    [bucketAt(3), branch(3, [4, 4]), branch(4, [5, 5]), branch(5, [6, 6])],
    /a page is in two places|a page is missing/,
  ],
  ['a page beyond the end', [bucketAt(99)], /a page is missing/],
  ['a short revision', [bucketAt(3), leaf(3, [{ key: Buffer.from('1'), value: Buffer.alloc(0) }])], /a revision is cut short/],
  ['a value that is no pair', [bucketAt(3), leaf(3, [{ key: revision(1), value: Buffer.from([0xff, 0xff]) }])], /cannot be read/],
  ['no bucket of keys', [leaf(2, [])], /there is no bucket "key"/],
]
for (const [what, pages, words] of DAMAGED)
  test(`is refused: ${what}`, () => assert.match(read(Buffer.concat([meta(0), meta(1), ...pages])) ?? '', words))

test('any damage is a SnapshotError, or is not seen', () => {
  const change = fc.record({ at: fc.nat(WHOLE.length - 1), byte: fc.nat(255) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.nat(WHOLE.length), (changes, length) => {
      const bytes = Buffer.from(WHOLE)
      for (const { at, byte } of changes) bytes[at] = byte
      read(bytes)
      read(bytes.subarray(0, length))
    }),
  )
})
