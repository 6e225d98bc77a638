import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pod } from '../plugins/plugin-table.double.ts'
import { amountOf, isExtendedResource, isScalarResource, requestsOf } from './amounts.ts'

for (const [resource, quantity, expected] of [
  ['cpu', '2', 2000],
  ['cpu', '1500m', 1500],
  ['cpu', '100u', 1],
  ['memory', '1Gi', 2 ** 30],
  ['memory', '1500m', 2],
  ['example.com/x', 3, 3],
  ['memory', 'rubbish', 0],
] as const)
  test(`${quantity} of ${resource} counts as ${expected}`, () => {
    assert.equal(amountOf(resource, quantity), expected)
  })

for (const [name, isExtended, isScalar] of [
  ['cpu', false, false],
  ['example.com/x', true, true],
  ['kubernetes.io/x', false, true],
  ['node.kubernetes.io/x', false, true],
  ['requests.example.com/x', false, true],
  ['hugepages-2Mi', false, true],
  ['attachable-volumes-csi-d', false, true],
] as const)
  test(`${name} is ${isExtended ? 'an' : 'no'} extended resource and ${isScalar ? 'a' : 'no'} scalar one`, () => {
    assert.deepEqual([isExtendedResource(name), isScalarResource(name)], [isExtended, isScalar])
  })

test('containers without requests count with the defaults of scoring, and only there', () => {
  const bare = pod('p')
  assert.deepEqual([...requestsOf(bare)], [])
  assert.deepEqual(
    [...requestsOf(bare, { nonMissing: true })],
    [
      ['cpu', 100],
      ['memory', 200 * 2 ** 20],
    ],
  )
})
