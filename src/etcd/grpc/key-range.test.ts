import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keyNames } from '../../resources/etcd-keys.ts'
import { commonFolder, contains, keyRange } from './key-range.ts'

const range = (key: string, end: string) => keyRange(Buffer.from(key), Buffer.from(end))

const folders: readonly (readonly [rule: string, key: string, end: string, folder: string])[] = [
  ['a prefix', '/registry/pods/', '/registry/pods0', '/registry/pods/'],
  ['the next page of a prefix', '/registry/pods/default/x\0', '/registry/pods0', '/registry/pods/'],
  ['a prefix that ends within a name', '/registry/pods/def', '/registry/pods/deg', '/registry/pods/'],
  ['two keys of one folder', '/a/b/c', '/a/b/d', '/a/b/'],
  ['two keys of two folders', '/a/b', '/c', '/'],
  ['everything', '\0', '\0', ''],
  ['from a key on', '/a/b', '\0', ''],
  ['names without a folder', 'foo', 'fop', ''],
]
for (const [rule, key, end, folder] of folders)
  test(`the folder of ${rule} is ${JSON.stringify(folder)}`, () => assert.equal(commonFolder(range(key, end)), folder))

const text = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '0', '\0', 'é'), maxLength: 8 })
test('every key of a range lies in its folder', () => {
  fc.assert(
    fc.property(text, text, text, (key, end, name) => {
      fc.pre(key !== '' && end !== '' && contains(range(key, end), Buffer.from(name)))
      assert.ok(name.startsWith(commonFolder(range(key, end))))
    }),
  )
})

const names = keyNames()
const inside: readonly (readonly [outside: string, inside: string])[] = [
  ['/registry/pods/', '/registry/core/pods/'],
  ['/registry/pods/default/', '/registry/core/pods/default/'],
  ['/registry/services/specs/', '/registry/core/services/'],
  ['/registry/services/', '/registry/'],
  ['/registry/deployments/', '/registry/apps/deployments/'],
  ['/registry/example.com/widgets/', '/registry/custom/example.com/widgets/'],
  ['/registry/example.com/', '/registry/'],
  ['/registry/unknown/', '/registry/'],
  ['/registry/', '/registry/'],
  ['/other/', '/other/'],
  ['', ''],
]
for (const [outside, wanted] of inside)
  test(`${JSON.stringify(outside)} lies inside at ${wanted}`, () => assert.equal(names.insideFolder(outside), wanted))

const keys = [
  '/registry/pods/default/a',
  '/registry/services/specs/default/a',
  '/registry/services/endpoints/default/a',
  '/registry/minions/n',
  '/registry/example.com/widgets/default/w',
  '/registry/apiextensions.k8s.io/customresourcedefinitions/x',
  '/registry/masterleases/1',
  '/x/y',
]
for (const key of keys)
  test(`${key} is found in each of its folders`, () => {
    const parts = key.split('/')
    for (let i = 1; i < parts.length; i++)
      assert.ok(names.inside(key).startsWith(names.insideFolder(`${parts.slice(0, i).join('/')}/`)), `folder ${i}`)
  })
