import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DeviceTaint, ResourceSlice } from '../../resources/types/resource.ts'
import type { DevicePool, DraDevice } from './dra-driver.ts'
import { holds, MOST_IN_SLICE, planSlices, type SlicePlan } from './plan-slices.ts'

const owner = { driver: 'gpu.example.com', nodeName: 'n1', nodeUid: 'u' }
const named = (name: string): DraDevice => ({ name })
const pool = (count: number, device: (name: string) => DraDevice = named): DevicePool => ({
  devices: Array.from({ length: count }, (_, i) => device(`d${i}`)),
})

/** What the API holds after a plan. */
function carriedOut(published: readonly ResourceSlice[], { create, update, remove }: SlicePlan): readonly ResourceSlice[] {
  const byName = new Map(published.map((s) => [s.metadata.name, s]))
  for (const s of remove) byName.delete(s.metadata.name)
  for (const s of update) byName.set(s.metadata.name, s)
  for (const s of create) {
    assert.ok(!byName.has(s.metadata.name), `${s.metadata.name} is created twice`)
    byName.set(s.metadata.name, s)
  }
  return [...byName.values()]
}

const counts = (plan: SlicePlan) => [plan.create.length, plan.update.length, plan.remove.length]

test('devices are split as the API allows: fewer to a slice where they have taints or counters; counters have slices of their own', () => {
  const sizes = (p: DevicePool) => planSlices(owner, new Map([['n1', p]]), []).create.map((s) => s.spec.devices?.length ?? 0)
  assert.deepEqual(sizes(pool(0)), [])
  assert.deepEqual(sizes(pool(129)), [128, 1])
  assert.deepEqual(sizes(pool(65, (name) => ({ name, more: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }))), [64, 1])
  assert.deepEqual(sizes({ ...pool(1), sharedCounters: Array.from({ length: 9 }, (_, i) => ({ name: `c${i}`, counters: {} })) }), [0, 0, 1])
})

test('attributes and amounts are written as the API has them', () => {
  const device = { name: 'd', attributes: { a: 'x', b: 2, c: true, d: { version: '1.2.3' } }, capacity: { memory: '1Gi' } }
  const [slice] = planSlices(owner, new Map([['n1', { devices: [device] }]]), []).create
  const attributes = { a: { string: 'x' }, b: { int: 2 }, c: { bool: true }, d: { version: '1.2.3' } }
  assert.deepEqual(slice?.spec.devices, [{ name: 'd', attributes, capacity: { memory: { value: '1Gi' } } }])
})

test('what the API writes otherwise is no change', () => {
  const taint: DeviceTaint = { key: 'k', value: 'v', effect: 'NoSchedule' }
  const taints = [taint]
  const slice: ResourceSlice = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: {},
    spec: {
      driver: 'd',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ capacity: { memory: { value: '40Gi' } }, name: 'd', taints: [{ ...taint, timeAdded: 'now' }] }],
    },
  }
  assert.ok(holds(slice, { devices: [{ name: 'd', attributes: {}, capacity: { memory: { value: '40960Mi' } }, taints }] }))
  assert.ok(!holds(slice, { devices: [{ name: 'd', capacity: { memory: { value: '41Gi' } }, taints }] }))
  assert.ok(!holds(slice, { devices: [{ name: 'd', capacity: { memory: { value: '40Gi' } } }] }))
})

test('a pool whose slice was deleted gets a new generation as a whole', () => {
  const pools = new Map([['n1', pool(200)]])
  const published = carriedOut([], planSlices(owner, pools, []))
  assert.deepEqual(counts(planSlices(owner, pools, published)), [0, 0, 0])
  const plan = planSlices(owner, pools, published.slice(1))
  const after = carriedOut(published.slice(1), plan)
  assert.deepEqual(
    after.map((s) => s.spec.pool.generation),
    [2, 2],
  )
})

const pools = fc.dictionary(fc.constantFrom('n1', 'n1/a', 'b'), fc.integer({ min: 0, max: 3 * MOST_IN_SLICE.devices }), {
  noNullPrototype: true,
})

test('property: one round makes complete pools with each device once, and a second round changes nothing', () => {
  fc.assert(
    fc.property(fc.array(pools, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(20), { maxLength: 3 }), (rounds, lost) => {
      let published: readonly ResourceSlice[] = []
      for (const round of rounds) {
        const wanted = new Map(Object.entries(round).map(([name, count]) => [name, pool(count)]))
        published = carriedOut(published, planSlices(owner, wanted, published))
        assert.deepEqual(counts(planSlices(owner, wanted, published)), [0, 0, 0])
        for (const [name, { devices }] of wanted) {
          const own = published.filter((s) => s.spec.pool.name === name)
          assert.equal(new Set(own.map((s) => s.spec.pool.generation)).size, devices.length === 0 ? 0 : 1)
          assert.ok(own.every((s) => s.spec.pool.resourceSliceCount === own.length))
          assert.deepEqual(
            own
              .flatMap((s) => s.spec.devices ?? [])
              .map((d) => d.name)
              .sort(),
            devices.map((d) => d.name).sort(),
          )
        }
        assert.ok(published.every((s) => wanted.has(s.spec.pool.name)))
        published = published.filter((_, i) => !lost.includes(i))
      }
    }),
  )
})
