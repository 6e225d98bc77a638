import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerHeaders } from './response-headers.ts'

const ABOUT = { status: 200, unpacked: false }
const OWN = { 'cache-control': 'no-cache, private' }

const cases: readonly (readonly [rule: string, raw: readonly string[], headers: object])[] = [
  ['headers of one connection stay there', ['TE', 'gzip', 'Keep-Alive', 'x', 'HTTP2-Settings', 'y', 'X-A', 'b'], { 'x-a': 'b' }],
  ['what Connection names stays there', ['Connection', 'x-a, close', 'X-A', 'b'], {}],
  ['a header may come twice', ['Set-Cookie', 'a', 'Set-Cookie', 'b'], { 'set-cookie': ['a', 'b'] }],
  [
    'of one that may not, the first counts',
    ['ETag', '"a"', 'ETag', '"b"', 'Content-Length', '2', 'content-length', '3'],
    { etag: '"a"', 'content-length': '2' },
  ],
  ['cross-origin rules are not the backend’s to make', ['Access-Control-Allow-Origin', '*'], {}],
]
for (const [rule, raw, wanted] of cases) test(rule, () => assert.deepEqual({ ...answerHeaders(raw, ABOUT) }, { ...wanted, ...OWN }))

test('a header may have the name of something that every object has', () => {
  const headers = answerHeaders(['__proto__', 'a', '__proto__', 'b', 'constructor', 'c', 'toString', 'd'], ABOUT)
  assert.deepEqual(Object.entries(headers), [
    ['__proto__', ['a', 'b']],
    ['constructor', 'c'],
    ['tostring', 'd'],
    ['cache-control', 'no-cache, private'],
  ])
})

test('Cache-Control of the backend is added to ours', () => {
  assert.deepEqual(answerHeaders(['Cache-Control', 'max-age=1'], ABOUT)['cache-control'], ['no-cache, private', 'max-age=1'])
})

test('304 has neither type nor length, 204 no length, and unpacking removes encoding and length', () => {
  const raw = ['Content-Type', 'a/b', 'Content-Length', '2', 'Content-Encoding', 'gzip']
  const names = (status: number, unpacked: boolean) => Object.keys(answerHeaders(raw, { status, unpacked })).sort().join()
  assert.equal(names(304, false), 'cache-control,content-encoding')
  assert.equal(names(204, false), 'cache-control,content-encoding,content-type')
  assert.equal(names(200, true), 'cache-control,content-type')
})
