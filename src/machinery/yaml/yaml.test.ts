import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeJson, decodePlainJson } from '../json/strict-json.ts'
import type { Json } from '../object.ts'
import { decodeYaml, encodeYaml, YamlError, YamlTooLargeError } from './yaml.ts'

test('a plain scalar means what it means to Go', () => {
  const table: [text: string, value: Json][] = [
    ['yes', true],
    ['On', true],
    ['n', false],
    ['yEs', 'yEs'],
    ['~', null],
    ['', null],
    ['Null', null],
    ['0777', 511],
    ['0o17', 15],
    ['089', 89],
    ['0x1F', 31],
    ['0b101', 5],
    ['1_000', 1000],
    ['1e3', 1000],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['1:30', '1:30'],
    ['2001-01-01', '2001-01-01'],
    ['9223372036854775807', 9223372036854775807n],
    ['"yes"', 'yes'],
    ['!!str 12', '12'],
    ['1.2.3', '1.2.3'],
    ['100m', '100m'],
    ['1e', '1e'],
    ['-', [null]],
    ['- ', [null]],
    ['-1', -1],
    ['+1', 1],
  ]
  for (const [text, value] of table) assert.deepEqual(decodeYaml(text).value, value, text)
})

test('keys become texts; merge keys give way to keys of their own', () => {
  assert.deepEqual(decodeYaml('1: a\ntrue: b\n1.5: c\n').value, { 1: 'a', true: 'b', 1.5: 'c' })
  assert.deepEqual(decodeYaml('a: &a {x: 1, z: 2}\nb:\n  <<: *a\n  z: 3\n').value, { a: { x: 1, z: 2 }, b: { x: 1, z: 3 } })
})

test('a duplicate key is reported with its line, and the last one counts', () => {
  const decoded = decodeYaml('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n  k: w\n')
  assert.equal(decoded.strictError, 'yaml: unmarshal errors:\n  line 7: key "k" already set in map')
  assert.deepEqual((decoded.value as { data: Json }).data, { k: 'w' })
})

test("syntax errors have Go's wording", () => {
  const table: [text: string, message: string][] = [
    ['a: [', 'yaml: line 1: did not find expected node content'],
    ['{', 'yaml: line 1: did not find expected node content'],
    ['a: [b', "yaml: line 1: did not find expected ',' or ']'"],
    ['a: {b: [c], d', "yaml: line 1: did not find expected ',' or '}'"],
    ['a: [{b: c}, d', "yaml: line 1: did not find expected ',' or ']'"],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['x: 1\na: b: c', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a: @b', 'yaml: found character that cannot start any token'],
    ['a: *b', "yaml: unknown anchor 'b' referenced"],
    ['a: "b', 'yaml: line 1: found unexpected end of stream'],
    ['a: .inf', 'json: unsupported value: +Inf'],
  ]
  for (const [text, message] of table) {
    const error = assert.throws(() => decodeYaml(text), YamlError)
    try {
      decodeYaml(text)
    } catch (thrown) {
      const reported = (thrown as Error).message.replace('line 1: mapping', 'mapping').replace('line 1: found char', 'found char')
      assert.equal(reported, message, `${text} ${error}`)
    }
  }
})

test('only the first document counts, and none is null', () => {
  assert.deepEqual(decodeYaml('a: 1\n---\nb: 2\n').value, { a: 1 })
  assert.equal(decodeYaml('').value, null)
  assert.equal(decodeYaml('# nothing\n').value, null)
})

test('aliases cannot make a small text a huge object', () => {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]']
  for (let i = 1; i < 10; i++) lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(',')}]`)
  assert.throws(() => decodeYaml(lines.join('\n')), { message: 'yaml: document contains excessive aliasing' })
  assert.throws(() => decodeYaml('a: &a [*a]'), { message: "yaml: anchor 'a' value contains itself" })
})

for (const text of ['0X1F', '-0B1', '0O7'])
  test(`the text ${text} is written with quotes: Go reads a number without them`, () => {
    for (const value of [text, [text], { [text]: text }]) assert.deepEqual(decodeYaml(encodeYaml(value)).value, value)
  })

test('what is written can be read again', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!/[0-9]{16}/.test(text))
      assert.deepEqual(decodeYaml(encodeYaml(value)).value, JSON.parse(text))
    }),
  )
})

test('any text is YAML or a YamlError', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        'a',
        ': ',
        '- ',
        '\n',
        '  ',
        '[',
        ']',
        '{',
        '}',
        ',',
        '&a ',
        '*a',
        '"',
        "'",
        '#',
        '|',
        '>',
        '!',
        '%',
        '\t',
        '<<',
        '? ',
        '---\n',
      ),
      fc.string(),
    ),
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      try {
        decodeYaml(parts.join(''))
      } catch (error) {
        assert.ok(error instanceof YamlError, String(error))
      }
    }),
    { numRuns: 1000 },
  )
})

test("quotes and breaks are those of Go's writer", () => {
  const long = 'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope'
  assert.equal(
    encodeYaml({ message: long, items: [{ '1': 'yes', at: '2026-01-01T00:00:00Z', none: '' }] }),
    `items:\n- "1": "yes"\n  at: "2026-01-01T00:00:00Z"\n  none: ""\nmessage: '${long.replace(' in ', ' in\n  ').replace(' in\n  ', '\n  in ')}'\n`,
  )
})

for (const [text, written] of [
  ['=', '='],
  ['<<', '<<'],
  ['---', "'---'"],
  ["--- it's", "'--- it''s'"],
  ['...', "'...'"],
  ['a---', 'a---'],
  ['2001-1-1', '"2001-1-1"'],
  ['😀: b', '"\\U0001F600: b"'],
  ['é', 'é'],
] as const)
  test(`a text is written as Go writes it: ${text}`, () => assert.equal(encodeYaml({ a: text }), `a: ${written}\n`))

test('a text in single quotes is broken behind a quote of its own, not behind the first one', () => {
  const message = "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing: it has to be named"
  const folded = message.replaceAll("'", "''").replace(' is missing', '\n  is missing')
  assert.equal(encodeYaml({ message }), `message: '${folded}'\n`)
  const key = 'k'.repeat(90)
  assert.equal(encodeYaml({ [key]: ' is: this' }), `${key}: ' is:\n  this'\n`)
})

test('a text in double quotes is not broken, however long', () => {
  const words = 'word '.repeat(30)
  assert.equal(encodeYaml({ a: `\u0007${words}` }), `a: "\\a${words}"\n`)
})

test('only the first document is read, whatever follows it', () => {
  const table: [text: string, value: Json][] = [
    ['a: 1\n---\nb: [', { a: 1 }],
    ['---\na: 1\n...\n}', { a: 1 }],
    ['# c\n%YAML 1.1\n---\na: 1\n--- b', { a: 1 }],
    ['---\n---\na: 1', null],
    ['a: |\n  ---\n  x\n', { a: '---\nx\n' }],
    ['a: b\n---c: d\n', { a: 'b', '---c': 'd' }],
    ['', null],
    ['---', null],
    ['--- {a: 1}\n---', { a: 1 }],
  ]
  for (const [text, value] of table) assert.deepEqual(decodeYaml(text).value, value, text)
})

test('duplicate keys are reported with their lines, nested ones too, at most a hundred', () => {
  const { strictError } = decodeYaml('a: 1\na:\n  x: 1\n  y: 2\n  x: 3\nb: 1\nb: 2\n')
  assert.equal(
    strictError,
    [
      'yaml: unmarshal errors:',
      'line 5: key "x" already set in map',
      'line 3: key "a" already set in map',
      'line 7: key "b" already set in map',
    ].join('\n  '),
  )
  const repeated = (value: string) => decodeYaml(`a: 1\na:${value}`).strictError.split('\n')[1]
  for (const value of ['\n\n- b\n', '\n\n  b: c\n', '\n\n  b\n'])
    assert.equal(repeated(value), '  line 4: key "a" already set in map', value)
  for (const value of ['', '\nb: 1', ' |\n  b', ' &x\n  - b', ' !!str\n  b'])
    assert.equal(repeated(value), '  line 2: key "a" already set in map', value)
  assert.equal(decodeYaml('a: 1\n'.repeat(5000)).strictError.split('\n').length, 101)
})

test('a block ends without a line break where the text does', () => {
  const table = [
    ['a: |\n  x', 'x'],
    ['a: |+\n  x', 'x'],
    ['a: >\n  x\n', 'x\n'],
    ['a: |\n  x\n---', 'x\n'],
  ] as const
  for (const [text, value] of table) assert.deepEqual(decodeYaml(text).value, { a: value }, text)
})

test('a text with an unknown tag stays a text', () => assert.deepEqual(decodeYaml('[!x y, !x 5, !!x 5]').value, ['y', '5', '5']))

test('documents of another version of YAML are refused', () => {
  assert.deepEqual(decodeYaml('%YAML 1.1\n---\na: b').value, { a: 'b' })
  assert.throws(() => decodeYaml('%YAML 1.2\n---\na: b'), { message: 'yaml: found incompatible YAML document' })
})

test('what no number of 64 bits or double holds stays a text', () => {
  for (const text of ['9'.repeat(400), '1e999', `-${'9'.repeat(400)}`]) assert.equal(decodeYaml(text).value, text)
  assert.equal(decodeYaml(`0x${'0'.repeat(5000)}1f`).value, 31)
})

test('a document has no more values than it may have, aliases counted', () => {
  assert.ok(decodeYaml('[a, b, c]', { maxValues: 4 }))
  assert.throws(() => decodeYaml('[a, b, c, d]', { maxValues: 4 }), YamlTooLargeError)
  assert.throws(() => decodeYaml('a: &x [1, 2, 3]\nb: *x\nc: *x\n', { maxValues: 12 }), YamlTooLargeError)
})

test('JSON is read as the YAML that it is', async () => {
  const words = fc.constantFrom(
    'a',
    'on',
    '1',
    '~',
    '<<',
    'null',
    '- a',
    'a: b',
    '#',
    '',
    ' x ',
    'é',
    '😀',
    'a\nb',
    '"',
    '\\',
    '0777',
    '2001-01-01',
  )
  const value = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      words,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(words, tie('json'), { maxKeys: 3 }),
    ),
  })).json
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom(undefined, 2), async (json, indent) => {
      const text = JSON.stringify(json, undefined, indent)
      const plain = await decodePlainJson(text)
      const { value: asYaml, strictError } = decodeYaml(text)
      assert.deepEqual(asYaml, decodeJson(text).value)
      assert.equal(strictError, '')
      if (plain !== undefined) assert.deepEqual(plain, asYaml)
    }),
    { numRuns: 1000 },
  )
})

for (const text of [
  '{"a":1.0}',
  '{"a":1,"a":2}',
  '{"a":"\\ud83d\\ude00"}',
  '{\t"a":1}',
  '{"a":"\\/"}',
  '{"a":"\u007f"}',
  '{"a":12345678901234567}',
  '{a: 1}',
])
  test(`JSON that YAML might read otherwise is left to YAML: ${JSON.stringify(text)}`, async () =>
    assert.equal(await decodePlainJson(text), undefined, text))

for (const text of ['{"a":1}{"b":2}', '{"a":1} x', '{"a":1} {', '{"a":1}\nb: c'])
  test(`what follows the first document is not read: ${JSON.stringify(text)}`, () => assert.deepEqual(decodeYaml(text).value, { a: 1 }))

for (const [text, message] of [
  ['a: b\n}', 'yaml: line 1: did not find expected key'],
  ['- a\n}', "yaml: line 1: did not find expected '-' indicator"],
] as const)
  test(`what follows a block belongs to it: ${JSON.stringify(text)}`, () => assert.throws(() => decodeYaml(text), { message }))

test('integers that a number does not hold are written as they are', () => {
  const value = { least: -9_007_199_254_740_993n, list: [9_223_372_036_854_775_807n], text: '9223372036854775807' }
  const text = 'least: -9007199254740993\nlist:\n- 9223372036854775807\ntext: "9223372036854775807"\n'
  assert.equal(encodeYaml(value), text)
  assert.deepEqual(decodeYaml(text).value, value)
})

test('keys of more than 128 bytes are explicit, as Go writes them', () => {
  const long = 'k'.repeat(129)
  const value = {
    ['k'.repeat(128)]: 1,
    [long]: { a: { b: [1] }, c: 2 },
    [`${long}1`]: [1, { a: [2], [long]: [3] }],
    [`${long}2`]: 'text',
    [`${long}3`]: [],
    [`${long}4`]: 'a\nb\n',
    list: [{ [long]: { [long]: {} } }],
    ['é'.repeat(65)]: true,
  }
  const text = encodeYaml(value)
  assert.deepEqual(decodeYaml(text).value, value)
  assert.equal(
    text.replaceAll(long, 'LONG').replace('k'.repeat(128), 'SHORT').replace('é'.repeat(65), 'BYTES'),
    `SHORT: 1
? LONG
: a:
    b:
    - 1
  c: 2
? LONG1
: - 1
  - a:
    - 2
    ? LONG
    : - 3
? LONG2
: text
? LONG3
: []
? LONG4
: |
  a
  b
list:
- ? LONG
  : ? LONG
    : {}
? BYTES
: true
`,
  )
})
