import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '../../base/clock.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { createAllocations } from './allocations.ts'

test('allocations of several servers on one store are what one map is', async () => {
  const step = fc.record({
    server: fc.nat(1),
    act: fc.constantFrom('take' as const, 'give' as const),
    name: fc.constantFrom('30000', '30001', '3000'),
    owner: fc.constantFrom('u1', 'u2', 'é'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await using store = openMemoryStore({}, { clock: systemClock })
      const servers = [createAllocations('nodeports', store), createAllocations('nodeports', store)]
      const model = new Map<string, string>()
      for (const { server, act, name, owner } of steps) {
        const one = servers[server]
        assert.ok(one)
        if (act === 'take') {
          assert.equal(await one.take(name, owner), (model.get(name) ?? owner) === owner)
          if (!model.has(name)) model.set(name, owner)
        } else {
          await one.give(name, owner)
          if (model.get(name) === owner) model.delete(name)
        }
        const all = (await one.all()).map((a) => [a.name, a.owner] as const)
        assert.deepEqual(new Map(all), model)
      }
    }),
    { numRuns: 50 },
  )
})

test('kinds of allocations do not see each other', async () => {
  await using store = openMemoryStore({}, { clock: systemClock })
  const [ports, others] = [createAllocations('nodeports', store), createAllocations('others', store)]
  assert.equal(await ports.take('1', 'a'), true)
  assert.equal(await others.take('1', 'b'), true)
  assert.deepEqual(await ports.all(), [{ name: '1', owner: 'a' }])
})

test('of many that take the same at once, one has it', async () => {
  await using store = openMemoryStore({}, { clock: systemClock })
  const ports = createAllocations('nodeports', store)
  const taken = await Promise.all(Array.from({ length: 20 }, (_, i) => ports.take('30000', `u${i}`)))
  assert.equal(taken.filter(Boolean).length, 1)
  const owner = taken.indexOf(true)
  assert.deepEqual(await ports.all(), [{ name: '30000', owner: `u${owner}` }])
})
