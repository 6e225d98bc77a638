import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigurationFileError, decodeConfigurationFile } from './configuration-file.ts'
import { goString, listOf, struct } from './go/go-type.ts'

const THING = struct('v1.Thing', { name: goString, items: listOf(struct('v1.Item', { size: goString })) })
const kinds = (strict: boolean) => ({ types: { 'example.com/v1 Thing': THING }, strict })

const read = (text: string, strict = true): string => {
  try {
    return JSON.stringify(decodeConfigurationFile(text, kinds(strict)).value)
  } catch (error) {
    if (error instanceof ConfigurationFileError) return error.message
    throw error
  }
}

const HEAD = 'apiVersion: example.com/v1\nkind: Thing\n'

const table: readonly (readonly [rule: string, text: string, said: string, strict?: boolean])[] = [
  ['YAML is read', `${HEAD}name: a`, '{"apiVersion":"example.com/v1","kind":"Thing","name":"a"}'],
  ['JSON is read', '{"apiVersion":"example.com/v1","kind":"Thing"}', '{"apiVersion":"example.com/v1","kind":"Thing"}'],
  ['an unknown field is a fault', `${HEAD}items:\n- colour: red\n`, 'strict decoding error: unknown field "items[0].colour"'],
  ['unless the reading is not strict', `${HEAD}colour: red`, '{"apiVersion":"example.com/v1","kind":"Thing"}', false],
  [
    'a key that stands twice is a fault',
    `${HEAD}name: a\nname: b`,
    'strict decoding error: yaml: unmarshal errors:\n  line 4: key "name" already set in map',
  ],
  ['a value of another type is a fault', `${HEAD}name: [1]`, 'json: cannot unmarshal array into Go struct field Thing.name of type string'],
  ['a file must say its kind', 'name: a', "Object 'Kind' is missing in 'name: a'"],
  ['and its version', 'kind: Thing', "Object 'apiVersion' is missing in 'kind: Thing'"],
  [
    'of those that are known',
    'kind: Thing\napiVersion: example.com/v2',
    'no kind "Thing" is registered for version "example.com/v2" in scheme "pkg/runtime/scheme.go:111"',
  ],
  ['broken JSON is no YAML', '{"x":', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
  [
    'text that is none',
    'this is none',
    'couldn\'t get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  ],
]

for (const [rule, text, said, strict] of table) test(`configuration files: ${rule}`, () => assert.equal(read(text, strict), said))
