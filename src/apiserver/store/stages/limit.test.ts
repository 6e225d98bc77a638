import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../../machinery/status-error.ts'
import { createResourceStore } from '../resource-store.ts'
import { storeDouble, widget } from '../store.double.ts'

test('a collection takes as many objects as its limit, and then a create is forbidden until one is deleted', async () => {
  await using world = await storeDouble()
  const store = createResourceStore({ ...world, objectLimits: new Map([['widgets.example.com', 2]]) })
  const named = (name: string) => ({ ...widget({ size: 1 }), metadata: { name, namespace: 'ns' } })
  await store.create(world.write(), named('a'))
  await store.create(world.write(), named('b'))
  await assert.rejects(Promise.resolve(store.create(world.write(), named('c'))), (error) => {
    assert.ok(isStatus(error, 'Forbidden'))
    assert.equal(
      error.message,
      'widgets.example.com "c" is forbidden: exceeded quota: object limits of the server, requested: count/widgets.example.com=1, used: count/widgets.example.com=2, limited: count/widgets.example.com=2',
    )
    return true
  })
  await store.writer.delete('example.com', 'widgets', 'ns', 'a')
  await store.create(world.write(), named('c'))
})
