import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { AdmissionPlugin } from '../admission/plugin.ts'
import { KEY, storeDouble, widget } from './store.double.ts'

const sizeOf = (object: KubeObject) => Number(readPath(object, ['spec', 'size']))

test('a create is prepared, validated and stored; the same name twice is refused', async () => {
  await using w = await storeDouble()
  await assert.rejects(w.store.create(w.write(), widget({})), (e) => isStatus(e, 'Invalid'))
  const outcome = await w.store.create(w.write(), widget({ size: 1 }))
  assert.equal(outcome.created, true)
  assert.equal(w.stored().metadata.generation, 1)
  assert.ok(w.stored().metadata.uid)
  await assert.rejects(w.store.create(w.write(), widget({ size: 1 })), (e) => isStatus(e, 'AlreadyExists'))
})

test('a dry run goes all the way and stores nothing', async () => {
  await using w = await storeDouble()
  const outcome = await w.store.create(w.write({ dryRun: true }), widget({ size: 1 }))
  assert.equal(outcome.kind, 'object')
  assert.throws(
    () => w.stored(),
    (e) => isStatus(e, 'NotFound'),
  )
})

test('an update that was overtaken is repeated on the new state, and none is lost', async () => {
  await using w = await storeDouble()
  await w.store.create(w.write(), widget({ size: 0 }))
  const add = () =>
    w.store.change(KEY, (draft) => {
      draft.spec = { size: sizeOf(draft) + 1 }
    })
  await Promise.all(Array.from({ length: 10 }, add))
  assert.equal(sizeOf(w.stored()), 10)
  assert.equal(w.stored().metadata.generation, 11)
})

test('a client that names a resourceVersion gets the conflict instead', async () => {
  await using w = await storeDouble()
  await w.store.create(w.write(), widget({ size: 0 }))
  const { resourceVersion = '' } = w.stored().metadata
  await w.store.change(KEY, (draft) => {
    draft.spec = { size: 1 }
  })
  const late = w.store.update(w.write(), {
    draft: () => ({ ...widget({ size: 2 }), metadata: { name: 'a', namespace: 'ns', resourceVersion } }),
  })
  await assert.rejects(late, (e) => isStatus(e, 'Conflict'))
})

test('the status path writes the status alone, the resource path everything else', async () => {
  await using w = await storeDouble()
  await w.store.create(w.write(), widget({ size: 0 }))
  const both = (draft: KubeObject) => {
    draft.spec = { size: 7 }
    draft.status = { ready: true }
  }
  await w.store.change(KEY, both, { subresource: 'status' })
  assert.deepEqual([w.stored().spec, w.stored().status, w.stored().metadata.generation], [{ size: 0 }, { ready: true }, 1])
  await w.store.change(KEY, (draft) => {
    both(draft)
    draft.status = {}
  })
  assert.deepEqual([w.stored().spec, w.stored().status, w.stored().metadata.generation], [{ size: 7 }, { ready: true }, 2])
})

test('admission sees the writes of clients and none of the server, and its refusal stores nothing', async () => {
  await using w = await storeDouble()
  const seen: string[] = []
  const plugin: AdmissionPlugin = {
    name: 'Test',
    handles: () => true,
    mutate: (r) => {
      seen.push(`mutate ${r.operation}`)
      if (r.object !== undefined) r.object.spec = { size: sizeOf(r.object), colour: 'blue' }
    },
    validate: (r) => {
      seen.push(`validate ${r.operation}`)
      if (r.object !== undefined && sizeOf(r.object) > 5) throw new Error('too large')
    },
  }
  const admission = [plugin]
  await w.store.create(w.write({ admission }), widget({ size: 1 }))
  assert.deepEqual(w.stored().spec, { size: 1, colour: 'blue' })
  await w.store.change(KEY, (draft) => {
    draft.spec = { size: 2 }
  })
  assert.deepEqual(seen, ['mutate CREATE', 'validate CREATE'])
  await assert.rejects(w.store.update(w.write({ admission }), { draft: () => widget({ size: 9 }) }), /too large/)
  assert.equal(sizeOf(w.stored()), 2)
  await w.store.delete(w.write({ admission }), {
    gracePeriodSeconds: undefined,
    orphanDependents: undefined,
    propagationPolicy: undefined,
    preconditions: undefined,
  })
  assert.equal(seen.at(-1), 'validate DELETE')
})

test('a deleted object stays until its last finalizer goes', async () => {
  await using w = await storeDouble()
  await w.store.create(w.write(), { ...widget({ size: 1 }), metadata: { name: 'a', namespace: 'ns', finalizers: ['example.com/hold'] } })
  const options = { gracePeriodSeconds: undefined, orphanDependents: undefined, propagationPolicy: undefined }
  await assert.rejects(w.store.delete(w.write(), { ...options, preconditions: { uid: 'other' } }), (e) => isStatus(e, 'Conflict'))
  const marked = await w.store.delete(w.write(), { ...options, preconditions: undefined })
  assert.equal(marked.gone, false)
  assert.ok(w.stored().metadata.deletionTimestamp)
  await w.store.change(KEY, (draft) => {
    delete draft.metadata.finalizers
  })
  assert.throws(
    () => w.stored(),
    (e) => isStatus(e, 'NotFound'),
  )
})

test('a guaranteed update passes by the rules of the kind', async () => {
  await using w = await storeDouble()
  await w.store.create(w.write(), widget({ size: 1 }))
  await w.store.guaranteedUpdate(KEY, (draft) => {
    draft.spec = {}
    draft.status = { bound: true }
  })
  assert.deepEqual([w.stored().spec, w.stored().status], [{}, { bound: true }])
})
