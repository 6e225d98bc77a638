import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFiles } from './check-files.ts'
import { generateTypes } from './generate-types.ts'

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: shirts.stable.example.com
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, kind: Shirt}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [color]
            properties:
              color: {type: string, enum: [blue, red]}
              size: {type: integer, minimum: 1, default: 3}
              port: {x-kubernetes-int-or-string: true}
            x-kubernetes-validations:
            - rule: "self.size < 60"
              message: too large
`
const check = (...objects: string[]) => checkFiles([DEFINITION, ...objects].map((text, i) => ({ name: `${i}.yaml`, text })))
const object = (spec: string) => `apiVersion: stable.example.com/v1\nkind: Shirt\nmetadata: {name: a}\nspec:\n${spec}`
const shown = (report: ReturnType<typeof check>) => report.findings.map((f) => `${f.file}:${f.line} ${f.level} ${f.message}`)

test('a valid object is printed with its defaults', () => {
  const report = check(object('  color: blue\n'))
  assert.deepEqual(report.findings, [])
  assert.deepEqual(report.objects[0]?.spec, { color: 'blue', size: 3 })
})

test('errors have the line of their field', () => {
  assert.deepEqual(shown(check(object('  color: green\n  size: 3\n  bogus: 1\n'))).slice(0, 2), [
    '1.yaml:7 warning spec.bogus: unknown field "spec.bogus"',
    '1.yaml:5 error spec.color: Unsupported value: "green": supported values: "blue", "red"',
  ])
  assert.deepEqual(shown(check(object('  color: red\n  size: 60\n'))), ['1.yaml:4 error spec: Invalid value: too large'])
})

test('errors of a definition have a line in its file, whatever their path', () => {
  const text = DEFINITION.replace('type: integer, minimum: 1', 'type: int')
  const { findings } = checkFiles([{ name: 'crd.yaml', text }])
  const fault = findings.find((f) => f.message.includes('Unsupported value: "int"'))
  assert.equal(fault?.line, 22)
})

test('old errors are not reported again', () => {
  const old = { name: 'old.yaml', text: object('  color: green\n') }
  const report = checkFiles(
    [
      { name: 'crd.yaml', text: DEFINITION },
      { name: 'new.yaml', text: object('  color: green\n  port: 80\n') },
    ],
    [old],
  )
  assert.deepEqual(report.findings, [])
})

test('text that is not YAML is reported with its line', () => {
  const { findings } = checkFiles([{ name: 'x.yaml', text: 'a: 1\nb: [' }])
  assert.equal(findings.length, 1)
  assert.equal(findings[0]?.level, 'error')
})

for (const [text, message] of [
  ['{"name": "bowsprit"}', 'it has no `kind`: not a Kubernetes object'],
  ['{"kind": "Shirt"}', 'Shirt has no `apiVersion`'],
  ['{"kind": "Hat", "apiVersion": "v1"}', 'no sound definition in these files has the kind Hat in version v1'],
] as const)
  test(`what cannot be checked is an error: ${text}`, () => assert.deepEqual(shown(check(text)), [`1.yaml:1 error kind: ${message}`]))

test('types follow the schema', () => {
  const crd = {
    spec: {
      group: 'g.example.com',
      names: { kind: 'Shirt', plural: 'shirts' },
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  required: ['a'],
                  properties: {
                    a: { type: 'array', items: { type: 'string', enum: ['x', "y'"] } },
                    'b-c': { 'x-kubernetes-int-or-string': true },
                  },
                },
              },
            },
          },
        },
      ],
    },
  }
  const text = generateTypes(crd as never)
  assert.match(text, /a: \('x' \| 'y\\''\)\[\]/)
  assert.match(text, /'b-c'\?: number \| string/)
})
