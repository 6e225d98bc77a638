import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../../machinery/status-error.ts'
import { createResourceStore } from '../resource-store.ts'
import { storeDouble, widget } from '../store.double.ts'

test('what is far too large to be stored is refused before its rules look at it', async () => {
  await using world = await storeDouble()
  let validated = 0
  const write = world.write()
  const { definition } = write.served
  const validateCreate = () => {
    validated++
    return []
  }
  const rules = { ...definition.rules, validateCreate }
  const strict = { ...write, served: { ...write.served, definition: { ...definition, rules } } }
  const store = createResourceStore(world)
  const large = (items: number) => ({ ...widget({ items: Array.from({ length: items }, () => ({ name: 'x'.repeat(40) })) }) })
  await assert.rejects(store.create(strict, large(60_000)), (error) => isStatus(error) && /request is too large/.test(error.message))
  assert.equal(validated, 0)
  await store.create(strict, large(10))
  assert.equal(validated, 1)
})
