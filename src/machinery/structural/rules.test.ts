import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../base/steps.ts'
import { faultText } from '../field-error.ts'
import type { Json } from '../object.ts'
import { decodeYaml } from '../yaml/yaml.ts'
import { checkRules } from './check-rules.ts'
import { hasRules, ruleSteps, runRules } from './rules.ts'
import type { SchemaProps } from './schema-props.ts'

const yaml = (text: string): Json => decodeYaml(text).value
const schemaOf = (text: string) => yaml(text) as SchemaProps
const rule = (text: string, more = '') => `x-kubernetes-validations: [{rule: '${text}'${more}}]`
const inA = (schema: string) => `{type: object, properties: {a: {${schema}}}}`

/** A schema, a value, and the faults; in the words of apiextensions-apiserver's `schema/cel`. */
type Row = readonly [schema: string, value: string, ...faults: string[]]

const BROKEN: readonly Row[] = [
  [inA(`type: integer, ${rule('self > 1')}`), '{a: 2}'],
  [inA(`type: integer, ${rule('self > 1')}`), '{a: 1}', 'a: Invalid value: 1: failed rule: self > 1'],
  [inA(`type: integer, ${rule('self > 1')}`), '{}'],
  [inA(`type: integer, nullable: true, ${rule('self > 1')}`), '{a: null}'],
  [inA(`type: string, ${rule('self == "b"', ', message: " must be b "')}`), '{a: c}', 'a: Invalid value: "c": must be b'],
  [inA(`type: object, ${rule('false')}`), '{a: {}}', 'a: Invalid value: failed rule: false'],
  [inA(`type: array, items: {type: string}, ${rule('self.size() < 1')}`), '{a: [b]}', 'a: Invalid value: failed rule: self.size() < 1'],
  [`{type: object, ${rule('false')}}`, '{}', '<nil>: Invalid value: failed rule: false'],
  [
    inA(`type: array, items: {type: integer, ${rule('self > 1')}}`),
    '{a: [1, 2, 0]}',
    'a[0]: Invalid value: 1: failed rule: self > 1',
    'a[2]: Invalid value: 0: failed rule: self > 1',
  ],
  [
    inA(`type: object, additionalProperties: {type: integer, ${rule('self > 1')}}`),
    '{a: {b: 1, c: 2}}',
    'a[b]: Invalid value: 1: failed rule: self > 1',
  ],
  [
    inA(`type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: integer, ${rule('self > 1')}}}`),
    '{a: {b: 0, z: 9}}',
    'a.b: Invalid value: 0: failed rule: self > 1',
  ],
  [
    inA(`type: string, x-kubernetes-validations: [{rule: 'self != "b"'}, {rule: 'self.size() > 1'}]`),
    '{a: b}',
    'a: Invalid value: "b": failed rule: self != "b"',
    'a: Invalid value: "b": failed rule: self.size() > 1',
  ],
]

const REASONS: readonly Row[] = [
  ['FieldValueForbidden', 'a: Forbidden: no'],
  ['FieldValueRequired', 'a: Required value: no'],
  ['FieldValueDuplicate', 'a: Duplicate value: 1'],
  ['FieldValueInvalid', 'a: Invalid value: 1: no'],
].map(([reason, fault]): Row => [inA(`type: integer, ${rule('false', `, message: "no", reason: ${reason}`)}`), '{a: 1}', fault ?? ''])

const PATHS: readonly Row[] = [
  [
    inA(`type: object, properties: {b: {type: string}}, ${rule('false', ', message: "no", fieldPath: ".b"')}`),
    '{a: {b: c}}',
    'a.b: Invalid value: no',
  ],
  [
    inA(`type: object, properties: {b: {type: string}}, ${rule('false', `, message: "no", fieldPath: " .b "`)}`),
    '{a: {}}',
    'a.b: Invalid value: no',
  ],
  [
    `{type: object, properties: {b: {type: string}}, ${rule('false', ', message: "no", reason: FieldValueForbidden, fieldPath: ".b"')}}`,
    '{}',
    'b: Forbidden: no',
  ],
]

const MESSAGES: readonly Row[] = [
  [inA(`type: integer, ${rule('self > 1', `, messageExpression: '"is " + string(self)'`)}`), '{a: 1}', 'a: Invalid value: 1: is 1'],
  [inA(`type: integer, ${rule('self > 1', `, message: "plain", messageExpression: '"a\\nb"'`)}`), '{a: 1}', 'a: Invalid value: 1: plain'],
  [inA(`type: integer, ${rule('self > 1', `, message: "plain", messageExpression: '"  "'`)}`), '{a: 1}', 'a: Invalid value: 1: plain'],
  [
    inA(`type: integer, ${rule('self > 1', `, message: "plain", messageExpression: 'string(1 / (self - 1))'`)}`),
    '{a: 1}',
    'a: Invalid value: 1: plain',
  ],
  [
    inA(`type: integer, ${rule('self > 1', `, messageExpression: 'string(1 / (self - 1))'`)}`),
    '{a: 1}',
    'a: Invalid value: 1: failed rule: self > 1',
  ],
]

const ERRORS: readonly Row[] = [
  [inA(`type: integer, ${rule('1 / self > 0')}`), '{a: 0}', 'a: Invalid value: "integer": division by zero evaluating rule: 1 / self > 0'],
  [
    inA(`type: object, properties: {b: {type: string}}, ${rule('self.b == "c"')}`),
    '{a: {}}',
    'a: Invalid value: "object": no such key: b evaluating rule: self.b == "c"',
  ],
]

for (const [title, rows] of Object.entries({
  'rules are judged': BROKEN,
  reasons: REASONS,
  'field paths': PATHS,
  messages: MESSAGES,
  errors: ERRORS,
}))
  for (const [schema, value, ...faults] of rows)
    test(`${title}: ${schema} of ${value}`, () => assert.deepEqual(runRules(schemaOf(schema), yaml(value)).map(faultText), faults))

/** A schema, the old value, the new one, and the faults. */
const TRANSITIONS: readonly (readonly [schema: string, old: string | undefined, value: string, ...faults: string[]])[] = [
  [inA(`type: integer, ${rule('self >= oldSelf')}`), '{a: 1}', '{a: 2}'],
  [inA(`type: integer, ${rule('self >= oldSelf')}`), '{a: 2}', '{a: 1}', 'a: Invalid value: 1: failed rule: self >= oldSelf'],
  [inA(`type: integer, ${rule('self >= oldSelf')}`), undefined, '{a: 1}'],
  [inA(`type: integer, ${rule('self >= oldSelf')}`), '{}', '{a: 1}'],
  [
    inA(`type: integer, ${rule('oldSelf.hasValue()', ', optionalOldSelf: true')}`),
    '{}',
    '{a: 1}',
    'a: Invalid value: 1: failed rule: oldSelf.hasValue()',
  ],
  [inA(`type: integer, ${rule('oldSelf.hasValue()', ', optionalOldSelf: true')}`), '{a: 3}', '{a: 1}'],
  [inA(`type: integer, ${rule('oldSelf.orValue(9) == 9', ', optionalOldSelf: true')}`), undefined, '{a: 1}'],
  // Ratcheting: what has not changed is not held against the object.
  [inA(`type: integer, ${rule('self > 1')}`), '{a: 1}', '{a: 1}'],
  [inA(`type: integer, ${rule('self > 1')}`), '{a: 0}', '{a: 1}', 'a: Invalid value: 1: failed rule: self > 1'],
  [
    inA(`type: object, additionalProperties: {type: integer, ${rule('self > oldSelf')}}`),
    '{a: {b: 2}}',
    '{a: {b: 1, c: 1}}',
    'a[b]: Invalid value: 1: failed rule: self > oldSelf',
  ],
  // Items correspond by their keys, and only in lists that are maps.
  [
    inA(
      `type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}, v: {type: integer}}, ${rule('self.v >= oldSelf.v')}}`,
    ),
    '{a: [{k: x, v: 1}, {k: y, v: 2}]}',
    '{a: [{k: y, v: 1}, {k: x, v: 1}, {k: z, v: 0}]}',
    'a[0]: Invalid value: failed rule: self.v >= oldSelf.v',
  ],
  [
    inA(
      `type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string, default: x}, v: {type: integer}}, ${rule('self.v >= oldSelf.v')}}`,
    ),
    '{a: [{v: 1}]}',
    '{a: [{k: x, v: 0}]}',
    'a[0]: Invalid value: failed rule: self.v >= oldSelf.v',
  ],
  [inA(`type: array, items: {type: integer, ${rule('self >= oldSelf')}}`), '{a: [2]}', '{a: [1]}'],
  [
    inA(`type: object, x-kubernetes-map-type: atomic, properties: {b: {type: integer, ${rule('self >= oldSelf')}}}`),
    '{a: {b: 2}}',
    '{a: {b: 1}}',
  ],
  [
    inA(`type: object, properties: {b: {type: integer, ${rule('self >= oldSelf')}}}`),
    '{a: {b: 2}}',
    '{a: {b: 1}}',
    'a.b: Invalid value: 1: failed rule: self >= oldSelf',
  ],
]
for (const [schema, old, value, ...faults] of TRANSITIONS)
  test(`transitions: ${schema} from ${old} to ${value}`, () => {
    const before = old === undefined ? undefined : yaml(old)
    assert.deepEqual(runRules(schemaOf(schema), yaml(value), { old: before }).map(faultText), faults)
  })

for (const [schema, has] of [
  ['{type: object}', false],
  [`{type: object, ${rule('true')}}`, true],
  [inA(`type: string, ${rule('true')}`), true],
  [`{type: array, items: {type: string, ${rule('true')}}}`, true],
  [`{type: object, additionalProperties: {type: string, ${rule('true')}}}`, true],
  [`{type: object, anyOf: [{${rule('true')}}]}`, false],
] as const)
  test(`${schema} ${has ? 'has rules' : 'has no rules'}`, () => assert.equal(hasRules(schemaOf(schema)), has))

test('a whole object shows its metadata to rules, a part does not', () => {
  const schema = schemaOf(`{type: object, ${rule('self.metadata.name == "x"')}}`)
  assert.deepEqual(runRules(schema, yaml('{metadata: {name: x}}')), [])
  assert.equal(runRules(schema, yaml('{metadata: {name: y}}')).length, 1)
})

test('errors carry the path below which they were found', () => {
  const schema = schemaOf(inA(`type: integer, ${rule('self > 1')}`))
  assert.deepEqual(
    runRules(schema, yaml('{a: 1}'), { path: 'spec.x' }).map(({ field }) => field),
    ['spec.x.a'],
  )
})

test('a thousand faults are reported', () => {
  const schema = schemaOf(`{type: object, properties: {a: {type: array, items: {type: integer, ${rule('false')}}}}}`)
  assert.equal(runRules(schema, { a: Array.from({ length: 1500 }, () => 1) }).length, 1000)
})

test('many values are judged in several steps, with the same outcome', () => {
  const schema = schemaOf(`{type: object, properties: {a: {type: array, items: {type: integer, ${rule('self > 1')}}}}}`)
  const value = { a: Array.from({ length: 20_000 }, (_, i) => (i === 7 ? 0 : 2)) }
  const steps = ruleSteps(schema, value)
  let count = 0
  for (let step = steps.next(); ; step = steps.next(), count++)
    if (step.done === true) {
      assert.deepEqual(step.value.map(faultText), ['a[7]: Invalid value: 0: failed rule: self > 1'])
      break
    }
  assert.ok(count > 5 && count < 200, `${count} steps`)
})

test('an expression that costs too much ends all rules of the object', () => {
  const schema = schemaOf(
    `{type: object, properties: {a: {type: array, items: {type: integer}, ${rule('self.all(x, self.all(y, x + y > 0))')}}, b: {type: integer, ${rule('false')}}}}`,
  )
  const faults = runRules(schema, { a: Array.from({ length: 2000 }, () => 1), b: 1 }).map(faultText)
  assert.equal(faults.length, 1)
  assert.match(
    faults[0] ?? '',
    /^a: Invalid value: "array": '.*': no further validation rules will be run due to call cost exceeds limit for rule: self\.all/,
  )
})

const REASON_NAMES = '"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"'
const SHOWN = (text: string, message = '') =>
  `{"Rule":"${text}","Message":"","MessageExpression":"${message}","Reason":null,"FieldPath":"","OptionalOldSelf":null}`
const at = 'x.properties[a].x-kubernetes-validations[0]'

/** A schema, and what is wrong with its rules, in the words of apiextensions-apiserver's validation. */
const DEFINITIONS: readonly (readonly [schema: string, ...faults: string[]])[] = [
  [inA(`type: integer, ${rule('self > 1')}`)],
  [inA(`type: integer, ${rule('  ')}`), `${at}.rule: Required value: rule is not specified`],
  [inA(`type: integer, ${rule('self > 1', ', message: "  "')}`), `${at}.message: Invalid value: "  ": must be non-empty if specified`],
  [inA(`type: integer, ${rule('self > 1', ', message: "a\\nb"')}`), `${at}.message: Invalid value: "a\\nb": must not contain line breaks`],
  [
    inA('type: integer, x-kubernetes-validations: [{rule: "self >\\n1"}]'),
    `${at}.message: Required value: message must be specified if rule contains line breaks`,
  ],
  [inA('type: integer, x-kubernetes-validations: [{rule: "self >\\n1", message: m}]')],
  [
    inA(`type: integer, ${rule('self > 1', ', messageExpression: "  "')}`),
    `${at}.messageExpression: Required value: messageExpression must be non-empty if specified`,
  ],
  [
    inA(`type: integer, ${rule('self > 1', ', reason: Other')}`),
    `${at}.reason: Unsupported value: "Other": supported values: ${REASON_NAMES}`,
  ],
  [inA(`type: integer, ${rule('self > 1', ', reason: FieldValueForbidden')}`)],
  [
    inA(`type: object, ${rule('true', ', fieldPath: "  "')}`),
    `${at}.fieldPath: Invalid value: "  ": must be non-empty if specified`,
    `${at}.fieldPath: Invalid value: "  ": must be a valid path`,
  ],
  [
    inA(`type: object, ${rule('true', ', fieldPath: ".a\\n"')}`),
    `${at}.fieldPath: Invalid value: ".a\\n": must not contain line breaks`,
    `${at}.fieldPath: Invalid value: ".a\\n": must be a valid path`,
  ],
  [inA(`type: object, ${rule('true', ', fieldPath: ".a"')}`), `${at}.fieldPath: Invalid value: ".a": must be a valid path`],
  [inA(`type: object, properties: {a: {type: string}}, ${rule('true', ', fieldPath: ".a"')}`)],
  [inA(`type: integer, ${rule('self')}`), `${at}.rule: Invalid value: ${SHOWN('self')}: cel expression must evaluate to a bool`],
  // The expression of the message is not looked at.
  [
    inA(`type: integer, ${rule('self', ', messageExpression: "1"')}`),
    `${at}.rule: Invalid value: ${SHOWN('self', '1')}: cel expression must evaluate to a bool`,
  ],
  [
    inA(`type: integer, ${rule('true', ', optionalOldSelf: true')}`),
    `${at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ],
  [inA(`type: integer, ${rule('oldSelf.hasValue()', ', optionalOldSelf: true')}`)],
  [
    inA(`type: array, maxItems: 5, items: {type: integer, ${rule('self > oldSelf')}}`),
    'x.properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self > oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within x.properties[a]',
  ],
  [
    inA(
      `type: array, maxItems: 5, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}, ${rule('self == oldSelf')}}`,
    ),
  ],
  [
    inA(`type: object, x-kubernetes-map-type: atomic, properties: {b: {type: integer, ${rule('self > oldSelf')}}}`),
    'x.properties[a].properties[b].x-kubernetes-validations[0].rule: Invalid value: "self > oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within x.properties[a]',
  ],
]
for (const [schema, ...faults] of DEFINITIONS)
  test(`a definition with ${schema}`, () => {
    const found = atOnce(checkRules(schemaOf(schema), 'x', { compile: true, unsound: new Set() }))
    assert.deepEqual(found.map(faultText), faults)
  })

for (const [schema, field, message] of [
  [inA(`type: integer, ${rule('self > ')}`), `${at}.rule`, /compilation failed: ERROR: <input>:1:\d+: Syntax error/],
  [
    inA(`type: integer, ${rule('self > "a"')}`),
    `${at}.rule`,
    /compilation failed: .*found no matching overload for '_>_' applied to '\(int, string\)'/s,
  ],
  [
    inA(`type: integer, ${rule('self > 1', ', messageExpression: "1"')}`),
    `${at}.messageExpression`,
    /messageExpression must evaluate to a string/,
  ],
  [
    inA(`type: integer, ${rule('self > 1', ', messageExpression: "self +"')}`),
    `${at}.messageExpression`,
    /messageExpression compilation failed/,
  ],
  [
    inA(`type: array, items: {type: string}, ${rule('self.all(x, self.all(y, x != y))')}`),
    `${at}.rule`,
    /estimated rule cost exceeds budget by factor of more than 100x/,
  ],
  [
    inA(`type: array, items: {type: array, items: {type: string, ${rule('self.contains("a")')}}}`),
    'x.properties[a].items.items.x-kubernetes-validations[0].rule',
    /estimated rule cost exceeds budget/,
  ],
] as const)
  test(`a definition with ${schema} is refused`, () => {
    const [fault] = atOnce(checkRules(schemaOf(schema), 'x', { compile: true, unsound: new Set() }))
    assert.equal(fault?.field, field)
    assert.match(fault?.message ?? '', message)
  })

const OPEN = 'x-kubernetes-preserve-unknown-fields: true'
for (const [schema, refused] of [
  [`${OPEN}, ${rule('self < 9')}`, true],
  [`type: array, items: {${OPEN}}, ${rule('self.size() > 1')}`, true],
  [`type: object, additionalProperties: {${OPEN}}, ${rule('self.size() > 1')}`, true],
  [`type: object, ${OPEN}, ${rule('self.size() > 1')}`, false],
  [`type: object, properties: {b: {${OPEN}}}, ${rule('true')}`, false],
  [`x-kubernetes-int-or-string: true, ${rule('true')}`, false],
] as const)
  test(`rules have ${refused ? 'no type' : 'a type'} with ${schema}`, () => {
    const faults = atOnce(checkRules(schemaOf(inA(schema)), 'x', { compile: true, unsound: new Set() }))
    assert.equal(
      faults.some(({ message }) => message.endsWith('unable to convert structural schema to CEL declarations')),
      refused,
    )
  })

test('the total of many rules is limited, and the dearest are named', () => {
  const properties = Array.from(
    { length: 12 },
    (_, i) => `p${i}: {type: array, maxItems: ${1290 + i}, items: {type: integer}, ${rule('self.all(x, self.all(y, x != y))')}}`,
  )
  const faults = atOnce(checkRules(schemaOf(`{type: object, properties: {${properties}}}`), 'x', { compile: true, unsound: new Set() }))
  const total = faults.at(-1)
  assert.equal(total?.field, 'x')
  assert.match(total?.message ?? '', /estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of/)
  assert.deepEqual(
    faults
      .slice(0, -1)
      .filter(({ message }) => message.includes('contributed to'))
      .map(({ field }) => field),
    [11, 10, 9, 8].map((i) => `x.properties[p${i}].x-kubernetes-validations[0].rule`),
  )
})

test('rules of unsound levels, and of unsound schemas, are not compiled', () => {
  const schema = schemaOf(inA(`type: integer, ${rule('self > ')}`))
  const a = schema.properties?.a
  assert.ok(a)
  assert.deepEqual(atOnce(checkRules(schema, 'x', { compile: false, unsound: new Set() })), [])
  assert.deepEqual(atOnce(checkRules(schema, 'x', { compile: true, unsound: new Set([a]) })), [])
})
