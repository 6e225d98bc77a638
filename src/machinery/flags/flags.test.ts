import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvFields } from './csv.ts'
import {
  bool,
  componentKeyValues,
  duration,
  float,
  int,
  ip,
  keyValues,
  level,
  levels,
  namedCertificates,
  portRange,
  stringArray,
  strings,
  text,
} from './kinds.ts'
import { FlagError, parseFlags } from './parse-flags.ts'

const TABLE = {
  name: text('x'),
  quiet: bool(false),
  loud: bool(true),
  count: int(3),
  share: float(0),
  wait: duration(1000),
  list: strings(['a']),
  each: stringArray(),
  map: keyValues(),
  gates: componentKeyValues(),
  address: ip('0.0.0.0'),
  ports: portRange({ first: 1, last: 2 }),
  pair: namedCertificates(),
  v: level(0, 'v'),
}

const parse = (line: string) => parseFlags(TABLE, line === '' ? [] : line.split(' '))

test('what is not given has its default', () => {
  const { values, given } = parse('')
  assert.deepEqual([values.name, values.loud, values.list, values.wait, given.size], ['x', true, ['a'], 1000, 0])
})

for (const [line, name, expected] of [
  ['--name=a', 'name', 'a'],
  ['--name a', 'name', 'a'],
  ['--name=', 'name', ''],
  ['--name=a=b', 'name', 'a=b'],
  ['--name --quiet', 'name', '--quiet'],
  ['--quiet', 'quiet', true],
  ['--quiet=F', 'quiet', false],
  ['--loud=0', 'loud', false],
  ['--count=-0x10', 'count', -16],
  ['--share=.5', 'share', 0.5],
  ['--wait=1m30s', 'wait', 90_000],
  ['--list=b,c --list=d', 'list', ['b', 'c', 'd']],
  ['--list=', 'list', []],
  ['--list="b,c",d', 'list', ['b,c', 'd']],
  ['--each=b,c --each=d', 'each', ['b,c', 'd']],
  [
    '--gates=A=true,B:C=false',
    'gates',
    [
      { component: 'kube', name: 'A', value: 'true' },
      { component: 'B', name: 'C', value: 'false' },
    ],
  ],
  ['--ports=30000-30010', 'ports', { first: 30_000, last: 30_010 }],
  ['--ports=30000+10', 'ports', { first: 30_000, last: 30_010 }],
  [
    '--pair=a,b:x,y --pair=c,d',
    'pair',
    [
      { certFile: 'a', keyFile: 'b', names: ['x', 'y'] },
      { certFile: 'c', keyFile: 'd', names: [] },
    ],
  ],
  ['-v 4', 'v', 4],
  ['-v=4', 'v', 4],
  ['-v4', 'v', 4],
] as const)
  test(`${line} → ${JSON.stringify(expected)}`, () => assert.deepEqual(parse(line).values[name], expected))

test('an underscore is a dash, and everything after two dashes is an argument', () => {
  const { values, words } = parseFlags({ 'a-b': int(0) }, ['--a_b=2', 'x', '--', '--a-b=3'])
  assert.deepEqual([values['a-b'], words], [2, ['x', '--a-b=3']])
})

test('pairs keep their last value, and blanks around them are not part of them', () => {
  assert.deepEqual(
    [...parseFlags(TABLE, ['--map=a=1, b = 2', '--map=a=3']).values.map],
    [
      ['a', '3'],
      ['b', '2'],
    ],
  )
})

for (const [line, says] of [
  ['--nothing=1', 'unknown flag: --nothing'],
  ['-x', "unknown shorthand flag: 'x' in -x"],
  ['--count', 'flag needs an argument: --count'],
  ['--=1', 'bad flag syntax: --=1'],
  ['--count=abc', 'invalid argument "abc" for "--count" flag: strconv.ParseInt: parsing "abc": invalid syntax'],
  ['--quiet=maybe', 'invalid argument "maybe" for "--quiet" flag: strconv.ParseBool: parsing "maybe": invalid syntax'],
  ['--wait=5', 'invalid argument "5" for "--wait" flag: time: missing unit in duration "5"'],
  ['--address=x', 'invalid argument "x" for "--address" flag: failed to parse IP: "x"'],
  ['--map=x', 'invalid argument "x" for "--map" flag: malformed pair, expect string=string'],
  ['--pair=a', 'invalid argument "a" for "--pair" flag: expected comma separated certificate and key file paths'],
  ['--share=x', 'invalid argument "x" for "--share" flag: strconv.ParseFloat: parsing "x": invalid syntax'],
  ['--v=x', 'invalid argument "x" for "-v, --v" flag: strconv.ParseUint: parsing "x": invalid syntax'],
] as const)
  test(`${line}: ${says}`, () =>
    assert.throws(
      () => parse(line),
      (e) => e instanceof FlagError && e.message === says,
    ))

const quoted = (field: string) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

test('fields come out of CSV as they were put in', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (fields) => assert.deepEqual(csvFields(fields.map(quoted).join(',')), fields)),
  )
})

test('a value is the same after a blank as after an equals sign; no word makes anything but a value or a FlagError', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(TABLE)), fc.string(), (name, value) => {
      const outcome = (words: string[]) => {
        try {
          return parseFlags(TABLE, words).values
        } catch (error) {
          if (!(error instanceof FlagError)) throw error
          return error.message
        }
      }
      const joined = outcome([`--${name}=${value}`])
      if (name !== 'quiet' && name !== 'loud') assert.deepEqual(outcome([`--${name}`, value]), joined)
    }),
  )
})

test('a deprecated flag is reported, unless it was merely renamed', () => {
  const table = { old: int(1, { deprecated: 'old is deprecated.' }), hidden: int(1, { deprecated: '' }) }
  const { notices, values } = parseFlags(table, ['--old=2', '--hidden=3'])
  assert.deepEqual([notices, values.old, values.hidden], [['Flag --old has been deprecated, old is deprecated.'], 2, 3])
})

test('levels of logs by file are pairs of a pattern and a number', () => {
  const table = { vmodule: levels() }
  assert.equal(parseFlags(table, ['--vmodule=a=1,b*=2']).values.vmodule, 'a=1,b*=2')
  assert.throws(
    () => parseFlags(table, ['--vmodule=foo']),
    /^FlagError: invalid argument "foo" for "--vmodule" flag: "foo" does not have the pattern=N format$/,
  )
})
