import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { generateCommand } from './generate-types.ts'
import { folderOf, runCommand } from './run-command.double.ts'

const definition = (kind: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${kind.toLowerCase()}s.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: ${kind.toLowerCase()}s, kind: ${kind} }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer } } } } } }
`

test('definitions become types; other objects of the file do not', async (t) => {
  const at = folderOf(t, { 'all.yaml': [definition('Shirt'), 'kind: Namespace\n', definition('Shoe')].join('---\n') })
  const run = await runCommand(generateCommand(), 'types', at('all.yaml'), '--output', at('types.ts'))
  assert.deepEqual(run, { code: 0, out: '', err: '' })
  const text = readFileSync(at('types.ts'), 'utf8')
  assert.match(text, /interface Shirt\b/)
  assert.match(text, /interface Shoe\b/)
  assert.match(text, /size\?: number/)
  assert.doesNotMatch(text, /Namespace\b/)
})
