import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../../machinery/status-error.ts'
import { decodeListToken, encodeListToken } from './list-token.ts'

test('a token says where the list goes on', () => {
  const token = { revision: 42, from: 'ns/a\u0000' }
  assert.deepEqual(decodeListToken(encodeListToken(token)), token)
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const BAD: readonly (readonly [string, string, string])[] = [
  ['nonsense', 'abc', "invalid character 'i' looking for beginning of value"],
  ['no version', 'e30', 'server does not recognize this encoded version '],
  ['null for JSON', encode(null), 'server does not recognize this encoded version '],
  ['a number for JSON', encode(5), 'server does not recognize this encoded version '],
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
