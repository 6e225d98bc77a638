import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeFieldValue, parseFieldSelector } from './field-selector.ts'
import { createRequirement, type LabelOperator, LabelRequirement } from './label-requirement.ts'
import { CompiledLabelSelector, compileLabelSelector, formatLabelSelector, parseLabelSelector, SelectorError } from './label-selector.ts'

const labels = { app: 'web', tier: '', n: '5', 'example.com/z': 'a' }

test('a selector matches by its requirements', () => {
  const table: [selector: string, matches: boolean][] = [
    ['', true],
    ['app', true],
    ['!app', false],
    ['app=web,n!=6', true],
    ['tier=', true],
    ['gone!=x', true],
    ['gone notin (x)', true],
    ['app in (api, web)', true],
    ['n>4,n<6', true],
    ['n>5', false],
    ['app>1', false],
    ['example.com/z in (a)', true],
    ['constructor', false],
  ]
  for (const [selector, matches] of table) assert.equal(parseLabelSelector(selector).matches(labels), matches, selector)
})

for (const [key, values, message] of [
  ['a', ['b'], ''],
  ['a b', ['c'], 'key: Invalid value: "a b": name part'],
  ['a', ['b c'], 'values[0][a]: Invalid value: "b c": a valid label'],
] as const)
  test(`a requirement of ${key} in (${values}) ${message === '' ? 'is valid' : 'has a fault'}`, () => {
    const make = () => createRequirement(key, 'in', values)
    if (message === '') assert.equal(make().toString(), 'a in (b)')
    else assert.throws(make, (error) => error instanceof SelectorError && error.message.startsWith(message))
  })

test('a selector is printed sorted, and its text is a selector of the same text', () => {
  assert.equal(parseLabelSelector('z,b in (y,x),a==1,!c,n>3').toString(), 'a==1,b in (x,y),!c,n>3,z')
  const words = fc.stringMatching(/^[a-z]([-a-z0-9.]{0,8}[a-z0-9])?$/)
  const requirement = fc.oneof(
    words,
    fc.tuple(words, fc.constantFrom('=', '!=', '=='), words).map((parts) => parts.join('')),
    fc.tuple(words, fc.constantFrom(' in ', ' notin '), fc.array(words, { maxLength: 4 })).map(([k, o, v]) => `${k}${o}(${v.join(',')})`),
  )
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 5 }), (parts) => {
      const once = parseLabelSelector(parts.join(',')).toString()
      assert.equal(parseLabelSelector(once).toString(), once)
    }),
  )
})

test('any text is either a selector or refused with a SelectorError', () => {
  const pieces = fc.array(
    fc.oneof(fc.constantFrom('=', '==', '!', '!=', '(', ')', ',', ' in ', ' notin ', '<', '>', 'a', '\\'), fc.string()),
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      for (const parse of [parseLabelSelector, parseFieldSelector])
        try {
          parse(parts.join(''))
        } catch (error) {
          assert.ok(error instanceof SelectorError)
        }
    }),
  )
})

test('a LabelSelector object: none selects nothing, the empty one everything', () => {
  assert.equal(compileLabelSelector(undefined).matches({}), false)
  assert.equal(compileLabelSelector({}).matches({}), true)
  const selector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'n', operator: 'NotIn', values: ['6', '7'] }] }
  assert.equal(compileLabelSelector(selector).matches(labels), true)
  assert.equal(formatLabelSelector(selector), 'app=web,n notin (6,7)')
  assert.throws(() => compileLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Near' }] }), {
    message: '"Near" is not a valid label selector operator',
  })
})

test('a field selector compares texts, with escapes', () => {
  const read = (field: string) => ({ 'metadata.name': 'a,b', x: '' })[field] ?? ''
  assert.equal(parseFieldSelector('metadata.name=a\\,b').matches(read), true)
  assert.equal(parseFieldSelector('metadata.name!=a\\,b').matches(read), false)
  assert.equal(parseFieldSelector('x=,y=').matches(read), true)
  assert.equal(parseFieldSelector('b=2,,a=1').toString(), 'a=1,b=2')
  fc.assert(
    fc.property(fc.string(), (value) => assert.equal(parseFieldSelector(`f=${escapeFieldValue(value)}`).requirements[0]?.value, value)),
  )
})

test('a long selector selects what each of its requirements selects', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor')
  const value = fc.constantFrom('1', '2', '30')
  const one = fc.record({
    key,
    operator: fc.constantFrom<LabelOperator>('in', 'notin', '=', '!=', 'exists', '!', 'gt', 'lt'),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  })
  fc.assert(
    fc.property(fc.array(one, { minLength: 9, maxLength: 14 }), fc.dictionary(key, value, { maxKeys: 5 }), (wishes, labels) => {
      const requirements = wishes.map((w) => new LabelRequirement(w.key, w.operator, w.values))
      assert.equal(
        new CompiledLabelSelector(requirements).matches(labels),
        requirements.every((r) => r.matches(labels)),
      )
    }),
    { numRuns: 3000 },
  )
})
