import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../machinery/object.ts'
import type { CustomResourceDefinition, DefinitionVersion } from '../../../resources/apiextensions/types.ts'
import { kindSteps } from './kind-steps.ts'

const VERSION: DefinitionVersion = {
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['schedule'],
          properties: {
            schedule: { type: 'string' },
            replicas: { type: 'integer', default: 3 },
            names: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
          },
          'x-kubernetes-validations': [
            { rule: 'self.replicas < 10', message: 'too many' },
            { rule: "self.names.all(n, n != 'bad')", message: 'a bad name' },
          ],
        },
      },
    },
  },
}

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crons.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'crons', kind: 'Cron' }, versions: [VERSION] },
} as CustomResourceDefinition

const stepsOf = (spec: JsonObject) =>
  new Map(
    kindSteps(DEFINITION, VERSION, { apiVersion: 'example.com/v1', kind: 'Cron', metadata: { name: 'a' }, spec }).map((s) => [s.name, s]),
  )

test('each step says what it does to the object', () => {
  const given = { schedule: 'x', colour: 'red', names: ['a', 'bad'] }
  const steps = stepsOf(given)
  assert.deepEqual(steps.get('prune')?.lines, ['spec.colour is not in the schema: it is dropped'])
  assert.deepEqual(steps.get('default')?.lines, ['spec.replicas = 3'])
  assert.equal(steps.get('schema')?.tone, '')
  assert.equal(steps.get('rule self.replicas < 10')?.tone, '')
  const bad = steps.get("rule self.names.all(n, n != 'bad')")
  assert.equal(bad?.tone, 'bad')
  assert.match(bad.lines[0] ?? '', /a bad name/)
  assert.deepEqual(given, { schedule: 'x', colour: 'red', names: ['a', 'bad'] }, 'the object is as it was')
})

test('the cost of a rule grows with what it looks at', () => {
  const costOf = (names: string[]) => {
    const { lines = [] } = stepsOf({ schedule: 'x', names }).get("rule self.names.all(n, n != 'bad')") ?? {}
    return Number(/costs ([\d,]+)/.exec(lines.at(-1) ?? '')?.[1]?.replaceAll(',', ''))
  }
  assert.ok(costOf(['a', 'b', 'c', 'd']) > costOf(['a']))
})

test('a wrong type is a fault of the schema', () => {
  const { tone, lines } = stepsOf({ replicas: 'many' }).get('schema') ?? {}
  assert.equal(tone, 'bad')
  assert.match(lines?.join('\n') ?? '', /spec\.replicas: Invalid value.*must be of type integer/)
  assert.match(lines?.join('\n') ?? '', /spec\.schedule: Required value/)
})
