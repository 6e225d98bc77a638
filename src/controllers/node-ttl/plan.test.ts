import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../resources/types/core.ts'
import { nextStep, TTL, wantedTtl } from './plan.ts'

for (const [step, nodes, expected] of [
  [0, 100, 0],
  [0, 101, 1],
  [1, 95, 1],
  [1, 89, 0],
  [0, 600, 2],
  [2, 480, 2],
  [4, 50, 0],
  [0, 9000, 4],
  [4, 1800, 4],
  [4, 1799, 3],
] as const)
  test(`the more nodes, the longer; on the way down a little later: ${JSON.stringify(step)}`, () =>
    assert.equal(nextStep(step, nodes), expected, `${step} ${nodes}`))

test('only another value is written', () => {
  const node = (annotations: Record<string, string>): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', annotations } })
  assert.equal(wantedTtl(node({}), 0), '0')
  assert.equal(wantedTtl(node({ [TTL]: '0' }), 0), undefined)
  assert.equal(wantedTtl(node({ [TTL]: '77' }), 1), '15')
})
