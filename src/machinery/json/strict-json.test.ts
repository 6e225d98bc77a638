import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'
import {
  type DecodedJson,
  decodeJson,
  decodeJsonInTurns,
  decodePlainJson,
  encodeJson,
  JsonSyntaxError,
  JsonTooLargeError,
  parseWrittenJson,
} from './strict-json.ts'

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

test('duplicate keys are reported with their paths, and the last one counts', () => {
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

for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1},"a":1,"a":2}'])
  test(`a key named __proto__ stays an own key: ${JSON.stringify(text)}`, () => {
    const value = decodeJson(text).value as object
    assert.ok(Object.hasOwn(value, '__proto__'))
    assert.equal((value as { x?: number }).x, undefined)
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
  const { value, numbers } = decodeJson('{"a":{"b":[1.0,1.5,80,1e3]}}')
  assert.deepEqual([...textsOf(value, numbers)], ['a.b.0=1.0', 'a.b.3=1e3'])
})

function* textsOf(value: Json | undefined, numbers: DecodedJson['numbers'], path = ''): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const text = numbers.get(value)?.get(Array.isArray(value) ? Number(key) : key)
    const at = path === '' ? key : `${path}.${key}`
    if (text !== undefined) yield `${at}=${text}`
    yield* textsOf((value as JsonObject)[key], numbers, at)
  }
}

/** A text of JSON as its parts: keys may stand twice, numbers are as they are written. */
type Part = { readonly scalar: string } | { readonly list: readonly Part[] } | { readonly map: readonly (readonly [string, Part])[] }

const keys = fc.constantFrom('a', 'b', '__proto__', 'ключ')
const { part } = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.record({ scalar: fc.constantFrom('1', '1.0', '1e1', '-0.50', '12345678901234567', 'null', 'true', '"x"', '"\\ud800"') }),
    fc.record({ list: fc.array(tie('part'), { maxLength: 4 }) }),
    fc.record({ map: fc.array(fc.tuple(keys, tie('part')), { maxLength: 5 }) }),
  ),
}))

const write = (p: Part): string => {
  if ('scalar' in p) return p.scalar
  if ('list' in p) return `[${p.list.map(write).join(' ,')}]`
  return `{ ${p.map.map(([key, value]) => `${JSON.stringify(key)} :${write(value)}`).join()} }`
}

/** What Go makes of it, in the plainest way: values whole, paths as texts. */
function naive(p: Part, merge: boolean, path: string, reported: { duplicates: Set<string>; numbers: Map<string, string> }): Json {
  if ('scalar' in p) {
    const number = Number(p.scalar)
    for (const at of reported.numbers.keys()) if (at === path || at.startsWith(`${path}.`)) reported.numbers.delete(at)
    if (/[.e]/.test(p.scalar) && !Number.isNaN(number) && String(number) !== p.scalar) reported.numbers.set(path, p.scalar)
    return p.scalar === '12345678901234567' ? 12345678901234567n : p.scalar === '"\\ud800"' ? '\ufffd' : (JSON.parse(p.scalar) as Json)
  }
  const below = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`)
  if ('list' in p) {
    for (const at of reported.numbers.keys()) if (at.startsWith(`${path}.`) || at === path) reported.numbers.delete(at)
    return p.list.map((item, i) => naive(item, merge, below(i), reported))
  }
  const map: JsonObject = {}
  for (const [key, item] of p.map) {
    const twice = Object.hasOwn(map, key)
    if (twice) reported.duplicates.add(below(key))
    const fresh = { duplicates: reported.duplicates, numbers: new Map<string, string>() }
    const value = naive(item, merge, below(key), fresh)
    const old = map[key]
    const joined = twice && merge && isObject(old) && isObject(value) ? joinMaps(old, value, below(key), reported.numbers) : value
    if (joined === value)
      for (const at of reported.numbers.keys()) if (at === below(key) || at.startsWith(`${below(key)}.`)) reported.numbers.delete(at)
    for (const [at, text] of fresh.numbers) reported.numbers.set(at, text)
    setOwn(map, key, joined)
  }
  return map
}

function joinMaps(old: JsonObject, more: JsonObject, path: string, numbers: Map<string, string>): JsonObject {
  for (const key of Object.keys(more)) {
    const [left, right] = [Object.hasOwn(old, key) ? old[key] : undefined, more[key]]
    const at = `${path}.${key}`
    if (isObject(left) && isObject(right)) joinMaps(left, right, at, numbers)
    else {
      for (const known of numbers.keys()) if (known === at || known.startsWith(`${at}.`)) numbers.delete(known)
      setOwn(old, key, right)
    }
  }
  return old
}

test('duplicates, merged objects and the texts of numbers are as a plain reading has them', () => {
  fc.assert(
    fc.property(part, fc.boolean(), (tree, merge) => {
      const reported = { duplicates: new Set<string>(), numbers: new Map<string, string>() }
      const wanted = naive(tree, merge, '', reported)
      const { value, duplicates, numbers } = decodeJson(`${write(tree)}`, { merge })
      assert.deepEqual(value, wanted)
      assert.deepEqual(new Set(duplicates.map((d) => d.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, ''))), reported.duplicates)
      const scalars = isObject(wanted) || Array.isArray(wanted)
      if (scalars) assert.deepEqual([...textsOf(value, numbers)].sort(), [...reported.numbers].map(([at, text]) => `${at}=${text}`).sort())
    }),
    { numRuns: 3000 },
  )
})

test('reading in turns reads the same', async () => {
  const text = `[${'{"a":1.0},'.repeat(30_000)}"\\ud800"]`
  assert.deepEqual((await decodeJsonInTurns(text)).value, decodeJson(text).value)
  await assert.rejects(decodeJsonInTurns(`${text}]`), { message: "invalid character ']' after top-level value" })
})

test('an object with too many members is refused before it is built, and only then', async () => {
  const members = (n: number) => Array.from({ length: n }, (_, i) => `"k${i}":1`).join()
  const limit = { maxMembers: 1000 }
  const message = 'an object with more than 1000 members'
  for (const text of [`{${members(1001)}}`, `[{"a":{${members(1001)}}}]`, `{${'"a":1,'.repeat(1001)}"b":1}`]) {
    assert.throws(() => decodeJson(text, limit), { name: 'JsonTooLargeError', message })
    await assert.rejects(decodeJsonInTurns(text, limit), { name: 'JsonTooLargeError', message })
  }
  await assert.rejects(decodePlainJson(`{${members(30_000)}}`, limit), { name: 'JsonTooLargeError' })
  await assert.rejects(decodePlainJson(`{${members(1001)}}`, limit), { name: 'JsonTooLargeError', message })
  for (const text of [`{${members(1000)}}`, `[{${members(900)}},{${members(900)}}]`])
    assert.deepEqual((await decodeJsonInTurns(text, limit)).value, JSON.parse(text))
})

test('plain maps are read in turns as at once', async () => {
  const text = `{${Array.from({ length: 30_000 }, (_, i) => `"k${i}":{"a":["\u00e4",${i}]}`).join()}}`
  assert.deepEqual(await decodePlainJson(text), JSON.parse(text))
  assert.equal(await decodePlainJson(`${text.slice(0, -1)},"k1":1}`), undefined, 'a key that stands twice is for the reader of YAML')
  assert.equal(await decodePlainJson(text.slice(0, -1)), undefined)
})

test('the fault at the end of a long text is found in turns too', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await assert.rejects(decodeJsonInTurns(`[${'1,'.repeat(200_000)}`), JsonSyntaxError)
  clearImmediate(timer)
  assert.ok(turns >= 8, `${turns} turns`)
})

test('a text may be as deep as in Go, and not deeper', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  assert.ok(decodeJson(nested(10_000)).value)
  assert.throws(() => decodeJson(nested(10_001)), { message: "invalid character '{' exceeded max depth" })
})

test('a text has no more values than it may have', () => {
  assert.ok(decodeJson('[1,{"a":2}]', { maxValues: 5 }))
  assert.throws(() => decodeJson('[1,{"a":2,"b":3}]', { maxValues: 4 }), JsonTooLargeError)
})

test('at most a hundred duplicates are reported', () => {
  const many = `{${Array.from({ length: 1000 }, (_, i) => `"k${i}":1,"k${i}":2,`).join('')}"z":0}`
  assert.equal(decodeJson(many).duplicates.length, 100)
})

test('any text is JSON or a JsonSyntaxError, exactly as for JSON.parse', () => {
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

test('keys with escapes are read for what they are, whatever was read before', async () => {
  const read: readonly [string, (text: string) => unknown][] = [
    ['strict', (text) => decodeJson(text).value],
    ['plain', async (text) => (await decodePlainJson(text)) ?? decodeJson(text).value],
    ['written', parseWrittenJson],
  ]
  for (const [name, parse] of read) {
    for (const before of ['{"a":{},"\\\\":{}}', '{"a":{},"x\\\\":{}}']) await parse(before)
    assert.deepEqual(Object.keys((await parse('{"a":{},"\\"":{}}')) as object), ['a', '"'], name)
    assert.deepEqual(Object.keys((await parse('{"a":{},"x\\n":{}}')) as object), ['a', 'x\n'], name)
  }
})
