import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CapacityRequestPolicy, Device } from '../../resources/types/resource.ts'
import { consumptionOf, isLeft, sum } from './capacity.ts'

const device = (requestPolicy?: CapacityRequestPolicy): Device => ({
  name: 'd',
  allowMultipleAllocations: true,
  capacity: { memory: { value: '10Gi', ...(requestPolicy && { requestPolicy }) } },
})
const request = (memory?: string) => ({ deviceClassName: 'c', ...(memory === undefined ? {} : { capacity: { requests: { memory } } }) })
const range = { default: '1Gi', validRange: { min: '2Gi', max: '8Gi', step: '2Gi' } }
const values = { default: '1Gi', validValues: ['1Gi', '4Gi'] }

for (const [rule, policy, wanted, expected] of [
  ['without a policy it takes what it asks for', undefined, '3Gi', '3Gi'],
  ['without a request and a policy it takes all', undefined, undefined, '10Gi'],
  ['more than the device has cannot be had', undefined, '11Gi', undefined],
  ['a policy has a default', range, undefined, '1Gi'],
  ['less than the range becomes its least', range, '1Gi', '2Gi'],
  ['amounts are rounded up to a step', range, '3Gi', '4Gi'],
  ['a step stays what it is', range, '4Gi', '4Gi'],
  ['more than the range allows cannot be had', range, '9Gi', undefined],
  ['valid values: the next larger one', values, '2Gi', '4Gi'],
  ['valid values: nothing is larger', values, '5Gi', undefined],
] as const)
  test(`consumed capacity: ${rule}`, () => {
    assert.equal(consumptionOf(request(wanted), device(policy))?.get('memory')?.toString(), expected)
  })

test('a request for a capacity that the device lacks cannot be met', () => {
  assert.equal(consumptionOf({ deviceClassName: 'c', capacity: { requests: { bandwidth: '1' } } }, device()), undefined)
})

test('shares add up until the device is full', () => {
  const consumed = (memory: string) => consumptionOf(request(memory), device()) ?? new Map()
  const used = sum(consumed('4Gi'), consumed('3Gi'))
  assert.equal(used.get('memory')?.toString(), '7Gi')
  assert.equal(isLeft(consumed('3Gi'), used, device()), true)
  assert.equal(isLeft(consumed('4Gi'), used, device()), false)
})
