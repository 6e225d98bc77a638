import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { FileBudget } from './file-budget.ts'
import { sourceOf } from './object-source.ts'
import { PersistentTrees } from './persistent-trees.ts'

const MOST = 64 * 1024 * 1024

/** A cluster of volumes by name and size. */
function volumes(sizes: Map<string, string>) {
  const get = (_group: string, _resource: string, _namespace: string, name: string): KubeObject | undefined => {
    const storage = sizes.get(name)
    if (storage === undefined) return undefined
    return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec: { capacity: { storage } } }
  }
  return new PersistentTrees(sourceOf({ get, list: () => [] }), MOST, new FileBudget())
}

test('a volume has one tree, as large as the volume, which grows with it', async () => {
  const sizes = new Map([
    ['small', '1Ki'],
    ['large', '10Ti'],
  ])
  const trees = volumes(sizes)
  const small = await trees.of('small', 0)
  assert.equal(small.space.limitBytes, 1024)
  assert.equal((await trees.of('large', 0)).space.limitBytes, MOST)
  sizes.set('small', '2Ki')
  assert.equal(await trees.of('small', 0), small)
  assert.equal(small.space.limitBytes, 2048)
  sizes.set('small', '3Ki')
  await trees.grow('small')
  await trees.grow('nobody has opened it')
  assert.equal(small.space.limitBytes, 3072)
})

test('the files of volumes that have gone go, however many come after them', async () => {
  const sizes = new Map<string, string>([['stays', '1Mi']])
  const trees = volumes(sizes)
  const stays = await trees.of('stays', 0)
  for (let i = 0; i < 1000; i++) {
    sizes.set(`v${i}`, '1Mi')
    await trees.of(`v${i}`, 0)
    sizes.delete(`v${i}`)
    assert.ok(trees.size <= 17)
  }
  assert.equal(await trees.of('stays', 0), stays)
})
