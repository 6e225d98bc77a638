import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badRequest, StatusError } from '../../../machinery/status-error.ts'
import { faultsOf, readText } from './draft-faults.ts'

for (const [what, text, line] of [
  ['a key without a space, which goes on in the next line', 'a: 1\nb:2\nc: 3\n', 3],
  ['a wrong indentation', 'a:\n  b: 1\n   c: 2\n', 3],
  ['an open quote', 'a: 1\nb: "x\n', 3],
  ['a repeated key', 'a: 1\nb: 1\na: 2\n', 3],
  ['a tab', 'a:\n\tb: 1\n', 2],
  ['a list', '- a\n', 1],
] as const)
  test(`${what} is found at its line`, () => {
    const read = readText(text)
    assert.deepEqual(read.kind === 'faulty' && read.faults.map((fault) => fault.line), [line], JSON.stringify(read))
  })

const TEXT = `metadata:
  labels:
    a.b/c: x
spec:
  replicas: 1
  template:
    containers:
    - name: a
      image: b
    - name: c
      imag: d
`
const causes = (...fields: readonly string[]) =>
  new StatusError({
    code: 422,
    reason: 'Invalid',
    message: 'it is invalid',
    details: { causes: fields.map((field) => ({ field, message: 'no', reason: 'FieldValueInvalid' })) },
  })

for (const [what, error, lines] of [
  ['a field', causes('spec.replicas'), [5]],
  ['two fields', causes('spec.replicas', 'spec.template.containers[1].name'), [5, 10]],
  ['a label', causes('metadata.labels[a.b/c]'), [3]],
  ['a field that is missing: its parent', causes('spec.template.containers[0].ports[0].name'), [8]],
  ['an unknown field', badRequest('strict decoding error: unknown field "spec.template.containers[1].imag"'), [11]],
  ['a wrong type', badRequest('json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32'), [5]],
  ['a refusal of all', badRequest('no'), [0]],
  ['another error', new Error('no'), [0]],
] as const)
  test(`the server's complaint about ${what} is shown at its line`, () =>
    assert.deepEqual(
      faultsOf(error, TEXT).map(({ line }) => line),
      lines,
    ))
