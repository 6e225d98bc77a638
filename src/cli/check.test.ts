import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCommand } from './check.ts'
import { folderOf, runCommand } from './run-command.double.ts'

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shirts.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: shirts, singular: shirt, kind: Shirt }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer, maximum: 9 } } } }
`
const shirt = (size: string) => `apiVersion: example.com/v1\nkind: Shirt\nmetadata: { name: s }\nspec: { size: ${size} }\n`
const FILES = { 'crd.yaml': DEFINITION, 'good.yaml': shirt('3'), 'large.yaml': shirt('12'), 'text.yaml': shirt('x') }

const ROWS: readonly [words: readonly string[], code: number, out: RegExp][] = [
  [['crd.yaml', 'good.yaml'], 0, /^2 checked, 0 errors, 0 warnings\n$/],
  [['good.yaml', 'crd.yaml'], 0, /^2 checked, 0 errors, 0 warnings\n$/],
  [['crd.yaml', 'large.yaml'], 1, /^large\.yaml:4: error: .*spec\.size.*12[\s\S]*2 checked, 1 error, 0 warnings\n$/],
  [['crd.yaml', 'text.yaml'], 1, /^text\.yaml:4: error: [\s\S]*1 error, /],
  [['crd.yaml', 'large.yaml', '--old', 'large.yaml'], 0, /0 errors/],
  [['crd.yaml', 'large.yaml', '--old', 'good.yaml'], 1, /1 error/],
]
for (const [words, code, out] of ROWS)
  test(`check ${words.join(' ')} exits with ${code}`, async (t) => {
    const at = folderOf(t, FILES)
    const run = await runCommand(checkCommand(), ...words.map((word) => (word in FILES ? at(word) : word)))
    assert.match(run.out.replaceAll(`${at('')}/`, ''), out)
    assert.deepEqual([run.code, run.err], [code, ''])
  })

test('a file that cannot be read is named, and nothing is checked', async () => {
  const { code, out, err } = await runCommand(checkCommand(), '/nonexistent/shirt.yaml')
  assert.match(err, /^bowsprit check: file: "\/nonexistent\/shirt\.yaml" does not exist: name a file\n$/)
  assert.deepEqual([code, out], [2, ''])
})
