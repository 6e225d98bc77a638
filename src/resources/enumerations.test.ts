import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { faultText } from '../machinery/field-error.ts'
import { enumOf, validateEnum } from './enumerations.ts'

test('an enumeration has the values of the facts', () => {
  assert.deepEqual(enumOf('core_v1.Protocol'), ['SCTP', 'TCP', 'UDP'])
  assert.throws(() => enumOf('core_v1.Container'), /has no enumeration core_v1.Container/)
})

test('a value that is absent or of the enumeration is accepted, another one is listed with it', () => {
  assert.deepEqual(validateEnum(undefined, 'core_v1.Protocol', 'a'), [])
  assert.deepEqual(validateEnum('UDP', 'core_v1.Protocol', 'a'), [])
  assert.deepEqual(validateEnum('', 'core_v1.Protocol', 'a').map(faultText), [
    'a: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"',
  ])
})

const named = globSync('**/*.ts', { cwd: import.meta.dirname })
  .filter((file) => !/test\.ts$|^types\//.test(file))
  .flatMap((file) => [
    ...readFileSync(path.join(import.meta.dirname, file), 'utf8').matchAll(/(?:enumOf|validateEnum)\([^;]*?'([a-z]+_v\w+\.\w+)'/g),
  ])
for (const name of new Set(named.map(([, name = '']) => name))) {
  test(`rules name an enumeration of the facts: ${name}`, () => assert.ok(enumOf(name).length > 1))
}
