import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../../machinery/status-error.ts'
import { decodeListToken, encodeListToken } from './list-token.ts'

test('a token names where the list continues', () => {
  const token = { revision: 42, from: 'ns/a\u0000' }
  assert.deepEqual(decodeListToken(encodeListToken(token)), token)
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
test('a token that kube-apiserver made from its cache begins with a slash', () => {
  assert.deepEqual(decodeListToken(encode({ v: 'meta.k8s.io/v1', rv: 212, start: '/ns/a\u0000' })), { revision: 212, from: 'ns/a\u0000' })
})

const BAD: readonly (readonly [string, string, string])[] = [
  ['nonsense', 'abc', "invalid character 'i' looking for beginning of value"],
  ['no version', 'e30', 'server does not recognize this encoded version '],
  ['null for JSON', encode(null), 'server does not recognize this encoded version '],
  ['a number for JSON', encode(5), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
  ['a list for JSON', encode([]), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
  ['a number as version', encode({ v: 5 }), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
  ['a text as revision', encode({ rv: 'x' }), 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
  ['a length that base64 does not have', 'a', 'illegal base64 data at input byte 0'],
  ['a character outside base64', 'ab$d', 'illegal base64 data at input byte 2'],
  ['an unknown version', encode({ v: 'v2', rv: 1, start: 'a' }), 'server does not recognize this encoded version v2'],
  ['no revision', encode({ v: 'meta.k8s.io/v1', start: 'a' }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
  ['a way up inside', encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/../b' }), 'a/../b'],
  ['two slashes', encode({ v: 'meta.k8s.io/v1', rv: 1, start: '//a' }), '//a'],
  ['a slash at the end', encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/' }), 'a/'],
  ['no start', encode({ v: 'meta.k8s.io/v1', rv: 1 }), 'encoded start key empty (version meta.k8s.io/v1)'],
  ['a way up', encode({ v: 'meta.k8s.io/v1', rv: -1, start: '../a' }), '../a'],
]
for (const [what, token, why] of BAD) {
  test(`a token with ${what} is a bad request`, () => {
    assert.throws(
      () => decodeListToken(token),
      (e) => isStatus(e, 'BadRequest') && e.message === `invalid continue token: continue key is not valid: ${why}`,
    )
  })
}
