import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { notFound } from '../../../machinery/status-error.ts'
import type { ConfigMap } from '../../../resources/types/core.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { createReferences, KEEP, KEEP_MS } from './references.ts'

/** A client that counts its requests; objects named `none…` do not exist. */
function setUp(text = 'x') {
  const clock = new VirtualClock()
  const wanted: string[] = []
  const get = async ({ resource, name = '' }: { resource: string; name?: string }): Promise<ConfigMap> => {
    wanted.push(`${resource}/${name}`)
    if (name.startsWith('none')) throw notFound({ group: '', resource }, name)
    if (name.startsWith('broken')) throw new Error('connection refused')
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: text } }
  }
  const references = createReferences({ get } as unknown as Client, clock)
  return { clock, wanted, references }
}

test('an object is requested once until the cache entry expires', async () => {
  const { clock, wanted, references } = setUp()
  await Promise.all([references.configMap('ns', 'a'), references.configMap('ns', 'a')])
  await references.configMap('ns', 'a')
  assert.equal(wanted.length, 1)
  await clock.advance(KEEP_MS)
  await references.configMap('ns', 'a')
  assert.equal(wanted.length, 2)
})

test('expired entries are dropped without another request', async () => {
  const { clock, references } = setUp()
  for (let i = 0; i < 20; i++) {
    await references.secret('ns', `s${i}`)
    await clock.advance(KEEP_MS / 10)
  }
  assert.ok(references.size <= 10)
  await clock.advance(KEEP_MS)
  assert.equal(references.size, 0)
})

test('what is missing or could not be had is not remembered', async () => {
  const { wanted, references } = setUp()
  assert.equal(await references.secret('ns', 'none'), undefined)
  assert.equal(await references.secret('ns', 'none'), undefined)
  await assert.rejects(references.secret('ns', 'broken'), /connection refused/)
  await assert.rejects(references.secret('ns', 'broken'), /connection refused/)
  assert.equal(wanted.length, 4)
  assert.equal(references.size, 0)
})

test('memory is bounded in objects and in characters', async () => {
  const many = setUp()
  for (let i = 0; i < KEEP.objects + 50; i++) await many.references.configMap('ns', `c${i}`)
  assert.equal(many.references.size, KEEP.objects)
  const large = setUp('x'.repeat(KEEP.characters / 4))
  for (let i = 0; i < 10; i++) await large.references.configMap('ns', `c${i}`)
  assert.ok(large.references.size <= 4)
})
