import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowSchema, FlowSchemaCondition, PriorityLevelConfiguration } from '../../resources/types/flowcontrol.ts'
import { danglingCondition, planDangling } from './plan-dangling.ts'

const level = (name: string): PriorityLevelConfiguration => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec: { type: 'Exempt' },
})

const schema = (...conditions: FlowSchemaCondition[]): FlowSchema => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name: 's' },
  spec: { priorityLevelConfiguration: { name: 'a' } },
  status: { conditions },
})

const reference = 'This FlowSchema references the PriorityLevelConfiguration object named "a"'
const found = { type: 'Dangling', status: 'False', reason: 'Found', message: `${reference} and it exists` } as const
const missing = { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` } as const

for (const [what, conditions, levels, written] of [
  ['none is written', [], ['a'], found],
  ['none is written, without the level', [], ['b'], missing],
  ['the level has appeared', [missing], ['a'], found],
  ['the level has gone', [found], [], missing],
  ['it is right', [found], ['a'], undefined],
  ['it is right, since another time', [{ ...missing, lastTransitionTime: '2020-01-01T00:00:00Z' }], [], undefined],
  ['it names the level before', [{ ...found, message: found.message.replace('"a"', '"b"') }], ['a', 'b'], found],
  ['a client has changed the reason', [{ ...found, reason: 'Odd' }], ['a'], found],
  ['there is another condition', [{ type: 'Other', status: 'True' }], ['a'], found],
] as const)
  test(`the condition Dangling is written where it is not as it should be: ${what}`, () => {
    assert.deepEqual([...planDangling([schema(...conditions)], levels.map(level))], written === undefined ? [] : [['s', written]])
  })

test('the name of the level is quoted as in JSON', () => {
  assert.match(danglingCondition('a"b', true).message, / named "a\\"b" and it exists$/)
})
