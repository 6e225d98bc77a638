import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../base/steps.ts'
import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import type {
  AllocationResult,
  Device,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceSlice,
} from '../../resources/types/resource.ts'
import { type Allocated, type AllocatorInput, allocate } from './allocate.ts'
import { DeviceSelectors } from './device-selectors.ts'
import { deviceId, inUse } from './in-use.ts'
import { indexSlices, poolsFor } from './pools.ts'
import { SearchBudget, STEPS_PER_ATTEMPT, STEPS_PER_NODE } from './search-budget.ts'

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

const inputOf = (input: Partial<AllocatorInput>): AllocatorInput => ({
  claims: [],
  node: 'n',
  pools,
  classes: () => CLASS,
  used: inUse([]),
  selectors: new DeviceSelectors(),
  budget: new SearchBudget(STEPS_PER_ATTEMPT),
  shareId: () => 's',
  ...input,
})
const allocateNow = (input: Partial<AllocatorInput>) => atOnce(allocate(inputOf(input)))

const request: fc.Arbitrary<ExactDeviceRequest> = fc.record(
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

function checkNothingTwice(held: readonly AllocationResult[]): void {
  const results = held.flatMap((a) => a.devices?.results ?? []).filter((r) => r.adminAccess !== true)
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
      const held: (readonly AllocationResult[])[] = []
      let shares = 0
      for (const next of steps) {
        if (next.kind === 'gone') {
          if (held.length > 0) held.splice(next.which % held.length, 1)
          continue
        }
        const found = allocateNow({ claims: next.claims, pools, used: inUse(held.flat()), shareId: () => String(shares++) })
        if (found.kind !== 'allocated') continue
        for (const [i, allocation] of found.allocations.entries()) {
          const wanted: readonly DeviceRequest[] = next.claims[i]?.spec?.devices?.requests ?? []
          for (const { name, exactly } of wanted) {
            const got = (allocation.devices?.results ?? []).filter((r) => r.request === name)
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

const one = (exactly: Partial<ExactDeviceRequest>): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'c', namespace: 'default' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'any', ...exactly } }] } },
})
const found = (claims: readonly ResourceClaim[], slices: readonly ResourceSlice[] = SLICES) =>
  allocateNow({ claims, pools: poolsFor({ name: 'n', labels: {} }, indexSlices(slices)) })

test('more than 32 devices are refused in Kubernetes’ words', () => {
  assert.throws(() => found([one({ count: 33 })]), /claim default\/c: number of requested devices 33 exceeds the claim limit of 32/)
})

test('a claim for all devices waits for an incomplete pool, and reports an invalid one', () => {
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

const wholePool = { name: 'p', generation: 1, resourceSliceCount: 1 }
const numbered = (count: number): readonly Device[] =>
  Array.from({ length: count }, (_, i) => ({ name: `d${i}`, attributes: { 'd.example.com/n': { int: i } } }))
const poolsOf = (devices: readonly Device[]) =>
  poolsFor({ name: 'n', labels: {} }, indexSlices([slice('devices', { pool: wholePool, devices })]))
const claimOf = (requests: readonly Partial<ExactDeviceRequest>[], constraints: readonly DeviceConstraint[] = []): ResourceClaim => ({
  ...one({}),
  spec: { devices: { requests: requests.map((r, i) => ({ name: `r${i}`, exactly: { deviceClassName: 'any', ...r } })), constraints } },
})
const expressions = (...all: readonly string[]) => ({ selectors: all.map((expression) => ({ cel: { expression } })) })

/** Runs a search to its end; the steps that it took in each turn. */
function turnsOf(input: AllocatorInput): { readonly turns: readonly number[]; readonly result: Allocated } {
  const search = allocate(input)
  const turns: number[] = []
  for (let before = input.budget.left; ; before = input.budget.left) {
    const next = search.next()
    turns.push(before - input.budget.left)
    if (next.done === true) return { turns, result: next.value }
  }
}

/** More combinations than can be tried: sixteen of 64 devices, and then one that is not there. */
const endless = () => ({
  claims: [claimOf([{ count: 16 }, { capacity: { requests: { none: '1' } } }])],
  pools: poolsOf(numbered(64)),
})

test('a search without end times out on its node, and leaves the attempt steps for other nodes', () => {
  const input = inputOf(endless())
  assert.deepEqual(atOnce(allocate(input)), { kind: 'timed-out' })
  const spent = STEPS_PER_ATTEMPT - input.budget.left
  assert.ok(spent >= STEPS_PER_NODE && spent < STEPS_PER_NODE + 100, `${spent} steps`)
})

test('a shorter filterTimeout shortens the search on a node, and a longer one does not lengthen it', () => {
  const spentWith = (filterTimeoutMs: number) => {
    const budget = new SearchBudget(STEPS_PER_ATTEMPT, filterTimeoutMs)
    assert.deepEqual(allocateNow({ ...endless(), budget }), { kind: 'timed-out' })
    return STEPS_PER_ATTEMPT - budget.left
  }
  const [short, usual, unlimited] = [spentWith(10), spentWith(10_000), spentWith(0)]
  assert.ok(short >= 10_000 && short < 10_100, `${short} steps`)
  assert.equal(usual, unlimited)
  assert.ok(usual >= STEPS_PER_NODE, `${usual} steps`)
})

test('an attempt has one budget for all nodes: without steps, every search times out at once', () => {
  const budget = new SearchBudget(10)
  assert.deepEqual(allocateNow({ ...endless(), budget }), { kind: 'timed-out' })
  assert.deepEqual(allocateNow({ claims: [one({})], budget }), { kind: 'timed-out' })
})

test('a long search gives its turn every few thousand steps', () => {
  const { turns } = turnsOf(inputOf(endless()))
  assert.ok(turns.length > 30, `${turns.length} turns`)
  for (const steps of turns) assert.ok(steps <= 6100, `${steps} steps in one turn`)
})

test('selectors cost what their expressions cost: evaluations of one device and the next are in different turns', () => {
  const numbers = `[${Array.from({ length: 100 }, (_, i) => i)}]`
  const dear = `${numbers}.all(x, ${numbers}.all(y, x + y >= 0))`
  const { turns, result } = turnsOf(inputOf({ claims: [claimOf([expressions(dear, 'false')])], pools: poolsOf(numbered(8)) }))
  assert.deepEqual(result, { kind: 'none' })
  assert.ok(turns.length >= 8, `${turns.length} turns`)
})

test("a selector's result is cached for the next attempt, but not for a newer slice", () => {
  const selectors = new DeviceSelectors()
  const stepsOf = (devices: readonly Device[]) => {
    const budget = new SearchBudget(STEPS_PER_ATTEMPT)
    const claims = [claimOf([expressions('device.attributes["d.example.com"].n == 63')])]
    assert.equal(allocateNow({ claims, pools: poolsOf(devices), selectors, budget }).kind, 'allocated')
    return STEPS_PER_ATTEMPT - budget.left
  }
  const devices = numbered(64)
  const [first, second, afterUpdate] = [stepsOf(devices), stepsOf(devices), stepsOf(numbered(64))]
  assert.ok(first >= second + 64, `${first}, then ${second}`)
  assert.ok(afterUpdate >= second + 64, `${afterUpdate} after the update`)
})

test('long selectors make no try longer: equal searches take as many steps with short ones and with 9 KB', () => {
  const stepsOf = (expression: string) => {
    const shared = { selectors: new DeviceSelectors(), pools: poolsOf(numbered(16)) }
    const claims = [claimOf([{ ...expressions(expression), count: 3 }, expressions('false')])]
    allocateNow({ ...shared, claims })
    const budget = new SearchBudget(STEPS_PER_ATTEMPT)
    allocateNow({ ...shared, claims, budget })
    return STEPS_PER_ATTEMPT - budget.left
  }
  assert.equal(stepsOf('true'), stepsOf(`device.driver != "${'y'.repeat(9000)}"`))
})

test('an expression that passes the cost limit of one evaluation fails, as in Kubernetes', () => {
  const numbers = `[${Array.from({ length: 200 }, (_, i) => i)}]`
  const tooDear = `${numbers}.all(x, ${numbers}.all(y, ${numbers}.all(z, x + y + z >= 0)))`
  assert.throws(
    () => allocateNow({ claims: [claimOf([expressions(tooDear)])], pools: poolsOf(numbered(1)) }),
    /^DeviceAllocationError: claim default\/c: selector #0: CEL runtime error: operation cancelled: actual cost limit exceeded$/,
  )
})

test('devices that must be made ready come after the pools of others', () => {
  const pool = (name: string) => ({ name, generation: 1, resourceSliceCount: 1 })
  const slices = [
    slice('a', { pool: pool('a'), devices: [{ name: 'x', bindsToNode: true, bindingConditions: ['ready'] }] }),
    slice('b', { pool: pool('b'), devices: [{ name: 'y' }] }),
  ]
  const got = found([one({})], slices)
  assert.equal(got.kind === 'allocated' && got.allocations[0]?.devices?.results?.[0]?.pool, 'b')
})
