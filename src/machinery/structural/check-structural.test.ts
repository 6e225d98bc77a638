import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../base/steps.ts'
import { faultText } from '../field-error.ts'
import { decodeYaml } from '../yaml/yaml.ts'
import { checkStructural } from './check-structural.ts'
import type { SchemaProps } from './schema-props.ts'

const EMBEDDED = 'x-kubernetes-embedded-resource: true'
const OPEN = 'x-kubernetes-preserve-unknown-fields: true'
const EITHER = 'x-kubernetes-int-or-string: true'
const property = (schema: string) => `{type: object, properties: {a: ${schema}}}`
const nested = (schema: string) => `{type: object, properties: {a: {type: object}}, anyOf: [{properties: {a: ${schema}}}]}`
const inA = 'x.properties[a]'
const inAnyOf = 'x.anyOf[0].properties[a]'
const NO_PATTERN = 'Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`'

/** A schema in YAML, and its faults below the path `x`, in the words of apiextensions-apiserver's `schema` package. */
type Row = readonly [schema: string, ...faults: string[]]

const TYPES: readonly Row[] = [
  ['{type: object}'],
  ['{}', 'x.type: Required value: must not be empty at the root'],
  [`{${OPEN}}`],
  ['{type: string}', 'x.type: Invalid value: "string": must be object at the root'],
  [property('{}'), `${inA}.type: Required value: must not be empty for specified object fields`],
  [property('{type: string}')],
  [property(`{${OPEN}}`)],
  [property(`{${EITHER}}`)],
  [property('{type: array}'), `${inA}.items: Required value: must be specified`],
  [property('{type: string, pattern: "^a+$"}')],
  [
    property('{pattern: "["}'),
    `${inA}.pattern: ${NO_PATTERN}`,
    `${inA}.type: Required value: must not be empty for specified object fields`,
  ],
  [nested('{pattern: "["}'), `${inAnyOf}.pattern: ${NO_PATTERN}`],
  [property('{type: array, items: {type: string}}')],
  [property('{type: array, items: {}}'), `${inA}.items.type: Required value: must not be empty for specified array items`],
  [
    property('{type: object, additionalProperties: {}}'),
    `${inA}.additionalProperties.type: Required value: must not be empty for specified object fields`,
  ],
  [property('{type: object, additionalProperties: true}')],
  ['{type: object, additionalProperties: true}', 'x.additionalProperties: Forbidden: must not be used at the root'],
  ['{type: object, additionalProperties: {type: string}}', 'x.additionalProperties: Forbidden: must not be used at the root'],
]

const EXTENSIONS: readonly Row[] = [
  [
    property(`{${EITHER}, ${OPEN}}`),
    `${inA}.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
  ],
  [
    property(`{type: object, ${EITHER}, ${EMBEDDED}, ${OPEN}}`),
    `${inA}.x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
    `${inA}.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
  ],
  [property(`{type: object, ${EMBEDDED}, ${OPEN}}`)],
  [property(`{type: object, ${EMBEDDED}, properties: {spec: {type: object}}}`)],
  [
    property(`{type: object, ${EMBEDDED}}`),
    `${inA}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
  ],
  [property(`{${EMBEDDED}, ${OPEN}}`), `${inA}.type: Required value: must be object if x-kubernetes-embedded-resource is true`],
  [
    property(`{type: string, ${EMBEDDED}, ${OPEN}}`),
    `${inA}.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true`,
  ],
  [
    property(`{type: object, ${EMBEDDED}, ${OPEN}, additionalProperties: true}`),
    `${inA}.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set`,
  ],
]

const METADATA: readonly Row[] = [
  ['{type: object, properties: {kind: {type: string}, apiVersion: {type: string}, metadata: {type: object}}}'],
  [
    '{type: object, properties: {kind: {type: integer}, apiVersion: {type: object}, metadata: {type: string}}}',
    'x.properties[apiVersion].type: Invalid value: "object": must be string',
    'x.properties[kind].type: Invalid value: "integer": must be string',
    'x.properties[metadata].type: Invalid value: "string": must be object',
  ],
  [property('{type: object, properties: {kind: {type: integer}}}')],
  [
    property(`{type: object, ${EMBEDDED}, properties: {kind: {type: integer}}}`),
    `${inA}.properties[kind].type: Invalid value: "integer": must be string`,
  ],
  ['{type: object, properties: {metadata: {type: object, properties: {name: {type: string, pattern: "^a"}}}}}'],
  ['{type: object, properties: {metadata: {type: object, properties: {generateName: {type: string}}}}}'],
  ...['properties: {labels: {type: object}}', 'description: mine', 'title: mine', 'minProperties: 1', 'required: [name]'].map(
    (said): Row => [
      `{type: object, properties: {metadata: {type: object, ${said}}}}`,
      'x.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ),
  [property('{type: object, properties: {metadata: {type: object, description: mine}}}')],
]

const UNDECLARED = 'to be structural'
const JUNCTORS: readonly Row[] = [
  [nested('{minProperties: 1}')],
  ...['allOf', 'oneOf'].map(
    (word): Row => [`{type: object, properties: {a: {type: string}}, ${word}: [{properties: {a: {minLength: 1}}}]}`],
  ),
  ['{type: object, properties: {a: {type: string}}, not: {properties: {a: {minLength: 1}}}}'],
  [nested('{type: object}'), `${inAnyOf}.type: Forbidden: must be empty ${UNDECLARED}`],
  [nested('{additionalProperties: true}'), `${inAnyOf}.additionalProperties: Forbidden: must be undefined ${UNDECLARED}`],
  [nested('{default: {}}'), `${inAnyOf}.default: Forbidden: must be undefined ${UNDECLARED}`],
  [nested('{title: t}'), `${inAnyOf}.title: Forbidden: must be empty ${UNDECLARED}`],
  [nested('{description: d}'), `${inAnyOf}.description: Forbidden: must be empty ${UNDECLARED}`],
  [nested('{nullable: true}'), `${inAnyOf}.nullable: Forbidden: must be false ${UNDECLARED}`],
  [nested('{nullable: false}')],
  [nested(`{${OPEN}}`), `${inAnyOf}.x-kubernetes-preserve-unknown-fields: Forbidden: must be false ${UNDECLARED}`],
  [nested(`{${EMBEDDED}}`), `${inAnyOf}.x-kubernetes-embedded-resource: Forbidden: must be false ${UNDECLARED}`],
  [nested(`{${EITHER}}`), `${inAnyOf}.x-kubernetes-int-or-string: Forbidden: must be false ${UNDECLARED}`],
  [nested('{x-kubernetes-list-map-keys: [b]}'), `${inAnyOf}.x-kubernetes-list-map-keys: Forbidden: must be empty ${UNDECLARED}`],
  [nested('{x-kubernetes-list-type: set}'), `${inAnyOf}.x-kubernetes-list-type: Forbidden: must be undefined ${UNDECLARED}`],
  [nested('{x-kubernetes-map-type: atomic}'), `${inAnyOf}.x-kubernetes-map-type: Forbidden: must be undefined ${UNDECLARED}`],
  [nested('{x-kubernetes-validations: [{rule: "true"}]}'), `${inAnyOf}.x-kubernetes-validations: Forbidden: must be empty ${UNDECLARED}`],
  [
    '{type: object, properties: {metadata: {type: object}}, anyOf: [{properties: {metadata: {minProperties: 1}}}]}',
    'x.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context',
  ],
  ...['anyOf: [{type: object}]', 'allOf: [{type: object}]', 'oneOf: [{type: object}]'].map((deeper): Row => {
    const word = deeper.slice(0, 5)
    return [nested(`{${deeper}}`), `${inAnyOf}.${word}[0].type: Forbidden: must be empty ${UNDECLARED}`]
  }),
  [nested('{not: {type: object}}'), `${inAnyOf}.not.type: Forbidden: must be empty ${UNDECLARED}`],
  [
    '{type: object, properties: {a: {type: array, items: {type: string}}}, not: {properties: {a: {items: {type: string}}}}}',
    `x.not.properties[a].items.type: Forbidden: must be empty ${UNDECLARED}`,
  ],
]

const COMPLETE: readonly Row[] = [
  ['{type: object, anyOf: [{properties: {b: {}}}]}', 'x.properties[b]: Required value: because it is defined in x.anyOf[0].properties[b]'],
  ['{type: object, oneOf: [{required: [b]}]}'],
  ['{type: object, not: {properties: {b: {}}}}', 'x.properties[b]: Required value: because it is defined in x.not.properties[b]'],
  [
    '{type: object, properties: {a: {type: array, items: {type: object}}}, allOf: [{properties: {a: {items: {properties: {b: {}}}}}}]}',
    'x.properties[a].items.properties[b]: Required value: because it is defined in x.allOf[0].properties[a].items.properties[b]',
  ],
  [
    '{type: object, properties: {a: {type: object}}, allOf: [{properties: {a: {items: {minLength: 1}}}}]}',
    'x.properties[a].items: Required value: because it is defined in x.allOf[0].properties[a].items',
  ],
  [
    '{type: object, anyOf: [{oneOf: [{properties: {b: {}}}]}]}',
    'x.properties[b]: Required value: because it is defined in x.anyOf[0].oneOf[0].properties[b]',
  ],
]

const INT_OR_STRING: readonly Row[] = [
  [property(`{${EITHER}, anyOf: [{type: integer}, {type: string}]}`)],
  [property(`{${EITHER}, allOf: [{anyOf: [{type: integer}, {type: string}]}]}`)],
  [property(`{${EITHER}, allOf: [{anyOf: [{type: integer}, {type: string}]}, {maxLength: 4}]}`)],
  [
    property(`{${EITHER}, anyOf: [{type: string}, {type: integer}]}`),
    `${inA}.anyOf[0].type: Forbidden: must be empty ${UNDECLARED}`,
    `${inA}.anyOf[1].type: Forbidden: must be empty ${UNDECLARED}`,
  ],
  [property(`{${EITHER}, anyOf: [{type: integer}]}`), `${inA}.anyOf[0].type: Forbidden: must be empty ${UNDECLARED}`],
  [
    property('{type: string, anyOf: [{type: integer}, {type: string}]}'),
    `${inA}.anyOf[0].type: Forbidden: must be empty ${UNDECLARED}`,
    `${inA}.anyOf[1].type: Forbidden: must be empty ${UNDECLARED}`,
  ],
  [
    property(`{${EITHER}, allOf: [{maxLength: 4}, {anyOf: [{type: integer}, {type: string}]}]}`),
    `${inA}.allOf[1].anyOf[0].type: Forbidden: must be empty ${UNDECLARED}`,
    `${inA}.allOf[1].anyOf[1].type: Forbidden: must be empty ${UNDECLARED}`,
  ],
]

for (const [title, rows] of Object.entries({
  'each field has a type': TYPES,
  'the extensions fit each other': EXTENSIONS,
  'metadata is not described': METADATA,
  'inside of junctors nothing is declared': JUNCTORS,
  'what junctors restrict is declared': COMPLETE,
  'int-or-string has one form': INT_OR_STRING,
}))
  for (const [schema, ...faults] of rows)
    test(`${title}: ${schema}`, () => {
      assert.deepEqual(atOnce(checkStructural(decodeYaml(schema).value as SchemaProps, 'x')).map(faultText), faults)
    })
