import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText } from '../../machinery/field-error.ts'
import { endpointSlices } from './endpointslices.ts'

const slice = (addressType: string, endpoints: object[], labels: Record<string, string> = {}) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 's', labels },
  addressType,
  endpoints,
})
const HOST = 'kubernetes.io/hostname'
const { rules } = endpointSlices
const context = {} as Parameters<NonNullable<typeof rules.prepareForCreate>>[1]

test('addresses that are warned of', () => {
  const old = slice('IPv4', [{ addresses: ['010.1.2.3'] }])
  const text = 'non-standard IP address "010.1.2.3" is invalid: use "10.1.2.3"'
  assert.deepEqual(rules.warnings?.(old, undefined, context), [`endpoints[0].addresses[0]: ${text}`])
  const own = { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' }
  assert.deepEqual(rules.warnings?.(slice('IPv4', [{ addresses: ['010.1.2.3'] }], own), undefined, context), [])
  const named = slice('FQDN', [{ addresses: ['a.b'] }])
  assert.deepEqual(rules.warnings?.(named, undefined, context), ['spec.addressType: FQDN endpoints are deprecated'])
  assert.deepEqual(rules.warnings?.(named, named, context), [])
})

test('topology of the older version is dropped; the name of a node stays', () => {
  const made = slice('IPv4', [{ addresses: ['1.2.3.4'], deprecatedTopology: { [HOST]: 'n' } }])
  rules.prepareForCreate?.(made, context)
  assert.deepEqual(made.endpoints, [{ addresses: ['1.2.3.4'] }])
  const old = slice('IPv4', [{ addresses: ['1.2.3.4'], deprecatedTopology: { [HOST]: 'n' } }])
  const same = structuredClone(old)
  rules.prepareForUpdate?.(same, old, context)
  assert.deepEqual(same.endpoints, old.endpoints)
  const changed = slice('IPv4', [{ addresses: ['1.2.3.5'], deprecatedTopology: { [HOST]: 'n' } }])
  rules.prepareForUpdate?.(changed, old, context)
  assert.deepEqual(changed.endpoints, [{ addresses: ['1.2.3.5'], nodeName: 'n' }])
})

test('the topology of an endpoint has at most 16 keys', () => {
  const topology = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))
  const faults = (count: number) =>
    rules.validateCreate?.(slice('IPv4', [{ addresses: ['1.2.3.4'], deprecatedTopology: topology(count) }]), context).map(faultText)
  assert.deepEqual(faults(16), [])
  assert.deepEqual(faults(17), ['endpoints[0].deprecatedTopology: Too many: 17: must have at most 16 items'])
})
