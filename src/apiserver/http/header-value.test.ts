import assert from 'node:assert/strict'
import { validateHeaderValue } from 'node:http'
import { test } from 'node:test'
import fc from 'fast-check'
import { lists } from './header-lists.ts'
import { headerText, headerValue, sendable, sendableCode } from './header-value.ts'

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a\r\nSet-Cookie: b', '\u0000', '\u0085', 'é', '日本', '\ud800'),
)

test('any text can be sent as a header value', () => {
  fc.assert(fc.property(text, (value) => validateHeaderValue('x', headerValue(value))))
})

test('a text without control characters is received as it was sent', () => {
  fc.assert(
    fc.property(text, (value) => {
      fc.pre(value.isWellFormed() && !/(?!\t)\p{Cc}/u.test(value))
      assert.equal(headerText(headerValue(value)), value)
    }),
  )
})

for (const [value, sent] of [
  ['plain\ttext', 'plain\ttext'],
  ['a\r\n\r\nb', 'a b'],
  ['a\u0000b\u007f', 'ab'],
  ['é', '\u00c3\u00a9'],
] as const)
  test(`${JSON.stringify(value)} is sent as ${JSON.stringify(sent)}`, () => assert.equal(headerValue(value), sent))

test('headers that can be sent stay the very same object', () => {
  const headers = { a: 'b', c: 'd\te' }
  assert.equal(sendable(headers), headers)
})

test('of headers that cannot be sent, only the bad values change', () => {
  const headers = { a: 'b', bad: 'x\ny', list: ['c', 'd\r\ne'] }
  assert.deepEqual(sendable(headers), { a: 'b', bad: 'x y', list: ['c', 'd e'] })
  assert.equal(headers.bad, 'x\ny')
})

for (const [code, sent] of [
  [200, 200],
  [599, 599],
  [199, 500],
  [600, 500],
  [204.5, 500],
  [Number.NaN, 500],
] as const)
  test(`the status code ${code} is sent as ${sent}`, () => assert.equal(sendableCode(code), sent))

test('received headers are lists by lower-case name, in order', () => {
  assert.deepEqual(
    { ...lists(['Accept', 'a', '__proto__', 'x', 'accept', 'b', 'X', '\u00c3\u00a9']) },
    JSON.parse('{"accept":["a","b"],"__proto__":["x"],"x":["é"]}'),
  )
})
