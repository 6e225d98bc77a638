import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import { allocate } from './allocate.ts'
import type { Allocation, Device, DeviceClass, DeviceRequest, ExactRequest, ResourceClaim, ResourceSlice } from './device.ts'
import { deviceId, inUse } from './in-use.ts'
import { indexSlices, poolsFor } from './pools.ts'

/** Cards in halves that share counters, whole devices, and links that several may use at once. */
const DEVICES: readonly Device[] = [
  { name: 'plain-0' },
  { name: 'plain-1', taints: [{ key: 'sick', effect: 'NoSchedule' }] },
  { name: 'half-0', consumesCounters: [{ counterSet: 'card', counters: { memory: { value: '40Gi' } } }] },
  { name: 'half-1', consumesCounters: [{ counterSet: 'card', counters: { memory: { value: '40Gi' } } }] },
  { name: 'whole', consumesCounters: [{ counterSet: 'card', counters: { memory: { value: '80Gi' } } }] },
  {
    name: 'link',
    allowMultipleAllocations: true,
    capacity: { bandwidth: { value: '10G', requestPolicy: { default: '1G', validRange: { min: '1G', step: '1G' } } } },
  },
]
const slice = (name: string, spec: Partial<ResourceSlice['spec']>): ResourceSlice => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name },
  spec: { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 2 }, nodeName: 'n', ...spec },
})
const SLICES = [
  slice('counters', { sharedCounters: [{ name: 'card', counters: { memory: { value: '80Gi' } } }] }),
  slice('devices', { devices: DEVICES }),
]
const pools = poolsFor({ name: 'n', labels: {} }, indexSlices(SLICES))
const CLASS: DeviceClass = { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'any' }, spec: {} }

const request: fc.Arbitrary<ExactRequest> = fc.record(
  {
    deviceClassName: fc.constant('any'),
    count: fc.integer({ min: 1, max: 3 }),
    allocationMode: fc.constantFrom('ExactCount', 'ExactCount', 'ExactCount', 'All'),
    adminAccess: fc.boolean(),
    tolerations: fc.constant([{ operator: 'Exists' }]),
    capacity: fc.integer({ min: 1, max: 12 }).map((n) => ({ requests: { bandwidth: `${n}G` } })),
  },
  { requiredKeys: ['deviceClassName'] },
)
const claim = fc.array(request, { minLength: 1, maxLength: 3 }).map(
  (requests): ResourceClaim => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'c', namespace: 'default' },
    spec: { devices: { requests: requests.map((exactly, i) => ({ name: `r${i}`, exactly })) } },
  }),
)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(claim, { minLength: 1, maxLength: 2 }).map((claims) => ({ kind: 'pod' as const, claims })) },
  { weight: 1, arbitrary: fc.nat().map((which) => ({ kind: 'gone' as const, which })) },
)

function checkNothingTwice(held: readonly Allocation[]): void {
  const results = held.flatMap((a) => a.devices.results).filter((r) => r.adminAccess !== true)
  const whole = results.filter((r) => r.shareID === undefined).map(deviceId)
  assert.deepEqual(whole.toSorted(), [...new Set(whole)].sort(), 'no device is given twice')
  const links = results.filter((r) => r.shareID !== undefined)
  const total = links.reduce((sum, r) => sum.add(parseQuantity(r.consumedCapacity?.bandwidth ?? '0')), Quantity.zero)
  assert.ok(total.compare(parseQuantity('10G')) <= 0, `the link carries ${total}`)
  const memory = [...new Set(results.map((r) => r.device))]
    .flatMap((name) => DEVICES.find((d) => d.name === name)?.consumesCounters ?? [])
    .reduce((sum, c) => sum.add(parseQuantity(c.counters.memory?.value ?? '0')), Quantity.zero)
  assert.ok(memory.compare(parseQuantity('80Gi')) <= 0, `partitions hold ${memory}`)
}

test('whatever comes and goes, no device is given twice and nothing is over-committed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const held: (readonly Allocation[])[] = []
      let shares = 0
      for (const next of steps) {
        if (next.kind === 'gone') {
          if (held.length > 0) held.splice(next.which % held.length, 1)
          continue
        }
        const input = {
          claims: next.claims,
          node: 'n',
          pools,
          classes: () => CLASS,
          used: inUse(held.flat()),
          shareId: () => String(shares++),
        }
        const found = allocate(input)
        if (found.kind !== 'allocated') continue
        for (const [i, allocation] of found.allocations.entries()) {
          const wanted: readonly DeviceRequest[] = next.claims[i]?.spec.devices?.requests ?? []
          for (const { name, exactly } of wanted) {
            const got = allocation.devices.results.filter((r) => r.request === name)
            if (exactly?.allocationMode !== 'All') assert.equal(got.length, exactly?.count ?? 1, 'as many as were asked for')
            assert.equal(new Set(got.map(deviceId)).size, got.length, 'a request gets different devices')
          }
        }
        held.push(found.allocations)
        checkNothingTwice(held.flat())
      }
    }),
  )
})

const one = (exactly: Partial<ExactRequest>): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'c', namespace: 'default' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'any', ...exactly } }] } },
})
const found = (claims: readonly ResourceClaim[], slices: readonly ResourceSlice[] = SLICES) =>
  allocate({
    claims,
    node: 'n',
    pools: poolsFor({ name: 'n', labels: {} }, indexSlices(slices)),
    classes: () => CLASS,
    used: inUse([]),
    shareId: () => 's',
  })

test('more than 32 devices are refused in Kubernetes’ words', () => {
  assert.throws(() => found([one({ count: 33 })]), /claim default\/c: number of requested devices 33 exceeds the claim limit of 32/)
})

test('who asks for all devices waits for the rest of a pool, and is told when it is in disorder', () => {
  const lacking = [slice('devices', { devices: DEVICES.slice(0, 1) })]
  assert.throws(
    () => found([one({ allocationMode: 'All' })], lacking),
    /claim default\/c, request r: .*d.example.com\/p is currently being updated/,
  )
  assert.deepEqual(found([one({})], lacking), { kind: 'none' })
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 }
  const twice = [slice('devices', { pool, devices: [{ name: 'a' }, { name: 'a' }] })]
  assert.throws(() => found([one({ allocationMode: 'All' })], twice), /is currently invalid/)
  assert.deepEqual(found([one({})], twice), { kind: 'invalid' })
})

test('a search without end is broken off', () => {
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 }
  const many = Array.from({ length: 64 }, (_, i): Device => ({ name: `d${i}`, attributes: { 'd.example.com/n': { int: i } } }))
  const claim = one({ count: 16 })
  const never = {
    ...claim,
    spec: {
      devices: {
        ...claim.spec.devices,
        requests: [
          ...(claim.spec.devices?.requests ?? []),
          { name: 's', exactly: { deviceClassName: 'any', capacity: { requests: { none: '1' } } } },
        ],
      },
    },
  }
  assert.throws(() => found([never], [slice('devices', { pool, devices: many })]), /node n: timed out trying to allocate devices/)
})

test('devices that must be made ready come after the pools of others', () => {
  const pool = (name: string) => ({ name, generation: 1, resourceSliceCount: 1 })
  const slices = [
    slice('a', { pool: pool('a'), devices: [{ name: 'x', bindsToNode: true, bindingConditions: ['ready'] }] }),
    slice('b', { pool: pool('b'), devices: [{ name: 'y' }] }),
  ]
  const got = found([one({})], slices)
  assert.equal(got.kind === 'allocated' && got.allocations[0]?.devices.results[0]?.pool, 'b')
})
