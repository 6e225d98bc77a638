import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeJson, encodeJson, JsonSyntaxError } from './strict-json.ts'

test('a fault is named in the words of Go', () => {
  const table: [text: string, message: string][] = [
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['  ', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
    ['-', 'unexpected end of JSON input'],
    ['tru', 'unexpected end of JSON input'],
    ['{}{', "invalid character '{' after top-level value"],
    ['[] x', "invalid character 'x' after top-level value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['"a\u0001"', "invalid character '\\x01' in string literal"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['- op: add', "invalid character ' ' in numeric literal"],
    ['data: 1', "invalid character 'd' looking for beginning of value"],
    ['nope', "invalid character 'o' in literal null (expecting 'u')"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['01', "invalid character '1' after top-level value"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    [`${'['.repeat(10001)}`, "invalid character '[' exceeded max depth"],
    ['1e999', 'json: cannot unmarshal number 1e999 into Go value of type float64'],
  ]
  for (const [text, message] of table) {
    assert.throws(() => decodeJson(text), { name: 'JsonSyntaxError', message }, text.slice(0, 40))
    assert.throws(() => decodeJson(Buffer.from(text)), { message }, text.slice(0, 40))
  }
})

test('duplicate keys are told with their paths, and the last one counts', () => {
  const decoded = decodeJson('{"m":{"a":1,"a":2},"l":[{"x":1,"x":2,"x":3}],"k":0,"k":1,"m":{"b":1}}')
  assert.deepEqual(decoded.value, { m: { b: 1 }, l: [{ x: 3 }], k: 1 })
  assert.deepEqual(decoded.duplicates, ['m.a', 'l[0].x', 'k', 'm'])
  assert.deepEqual(decodeJson('{"m":{"a":1,"c":1},"m":{"a":2,"b":1}}', { merge: true }).value, { m: { a: 2, c: 1, b: 1 } })
  assert.deepEqual(decodeJson('[{"op":1,"op":2}]').duplicates, ['[0].op'])
})

test('integers of 64 bits keep every digit', () => {
  const { value } = decodeJson(
    '{"a":9223372036854775807,"b":-9007199254740993,"c":9007199254740991,"d":"9223372036854775807","e":9223372036854775808}',
  )
  assert.deepEqual(value, { a: 9223372036854775807n, b: -9007199254740993n, c: 9007199254740991, d: '9223372036854775807', e: 2 ** 63 })
  assert.equal(encodeJson({ a: 9223372036854775807n, b: [1n] }), '{"a":9223372036854775807,"b":[1]}')
})

test('a key named __proto__ stays an own key', () => {
  for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1},"a":1,"a":2}']) {
    const value = decodeJson(text).value as object
    assert.ok(Object.hasOwn(value, '__proto__'))
    assert.equal((value as { x?: number }).x, undefined)
  }
})

test('broken UTF-8 and lone surrogates become U+FFFD', () => {
  assert.equal(decodeJson(Buffer.from([0x22, 0x61, 0xff, 0x22])).value, 'a\ufffd')
  assert.equal(decodeJson('"\\ud800x"').value, '\ufffdx')
  assert.equal(decodeJson('"\\ud83d\\ude00"').value, '😀')
})

test('Go escapes what could be taken for HTML', () => {
  assert.equal(encodeJson({ a: '<b>&\u2028' }, { html: true }), '{"a":"\\u003cb\\u003e\\u0026\\u2028"}')
  assert.equal(encodeJson({ a: '<' }), '{"a":"<"}')
})

test('the careful way and the fast way agree with JSON.parse on every value', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!/[0-9]{16}/.test(text))
      const wanted = JSON.parse(text)
      const { value, duplicates } = decodeJson(text)
      assert.deepEqual({ value, duplicates }, { value: wanted, duplicates: [] })
      // The exponent at the end makes it go the careful way.
      assert.deepEqual(decodeJson(`[${text},1E0]`).value, [wanted, 1])
    }),
  )
})

test('numbers that JavaScript writes otherwise keep their text', () => {
  assert.deepEqual(
    [...decodeJson('{"a":{"b":[1.0,1.5,80,1e3]}}').numbers],
    [
      ['a.b[0]', '1.0'],
      ['a.b[3]', '1e3'],
    ],
  )
})

test('any text is JSON or a JsonSyntaxError, exactly when JSON.parse says so', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', '1', '-', '.', 'e', 'true', 'nul', ' ', '\n', '"a"', 'ü', '\u0000'),
      fc.string(),
    ),
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      let fine = true
      try {
        JSON.parse(text)
      } catch {
        fine = false
      }
      try {
        decodeJson(text)
        assert.ok(fine, text)
      } catch (error) {
        assert.ok(error instanceof JsonSyntaxError && !fine, `${error}: ${text}`)
      }
    }),
    { numRuns: 1000 },
  )
})
