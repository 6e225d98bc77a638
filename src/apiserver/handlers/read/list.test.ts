import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { KubeObject } from '../../../machinery/object.ts'
import { configMaps } from '../../../resources/core/configmaps.ts'
import { handlerDouble } from '../handler.double.ts'
import { encodeListToken } from './list-token.ts'

const ALL = '/api/v1/configmaps'
const pathOf = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`

/** A server with config maps, `namespace/name`; labels say whether the name's length is odd. */
async function listDouble(keys: readonly string[]) {
  const world = await handlerDouble(configMaps)
  const add = (key: string) => {
    const [namespace = '', name = ''] = key.split('/')
    const metadata = { name, labels: { length: name.length % 2 === 0 ? 'even' : 'odd' } }
    return world.send(`POST ${pathOf(namespace)}`, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata } })
  }
  for (const key of keys) await add(key)
  return { ...world, add, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

interface List extends KubeObject {
  readonly items: readonly KubeObject[]
  readonly metadata: KubeObject['metadata'] & { readonly continue?: string; readonly remainingItemCount?: number }
}

type Double = Awaited<ReturnType<typeof listDouble>>
const listAt = async ({ send }: Pick<Double, 'send'>, line: string) => (await send(`GET ${line}`)).object as List
const keysOf = ({ items }: List) => items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)

/** All pages of a list. `between` runs after each page. */
async function pages(world: Double, line: string, between: () => unknown = () => {}): Promise<readonly List[]> {
  const found: List[] = []
  for (let token: string | undefined = ''; token !== undefined; token = found.at(-1)?.metadata.continue) {
    found.push(await listAt(world, token === '' ? line : `${line}&continue=${token}`))
    await between()
  }
  return found
}

const NAMES = ['a', 'a-b', 'ab', 'a.b', 'b', 'ba', 'c0', 'z']
const KEYS = ['n', 'n-1', 'm'].flatMap((namespace) => NAMES.map((name) => `${namespace}/${name}`))

test('pages of any size, with or without a selector, are the whole list in order, without gaps and repetitions', async () => {
  await using world = await listDouble(KEYS)
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom(ALL, pathOf('n'), pathOf('n-1'), pathOf('none')),
      fc.constantFrom('', '&labelSelector=length=odd', '&fieldSelector=metadata.name!=ab'),
      async (limit, path, selector) => {
        const whole = keysOf(await listAt(world, `${path}?${selector}`))
        const parts = await pages(world, `${path}?limit=${limit}${selector}`)
        assert.deepEqual(parts.flatMap(keysOf), whole)
        assert.ok(parts.every(({ items }) => items.length <= limit))
        assert.equal(new Set(parts.map(({ metadata }) => metadata.resourceVersion)).size, 1)
        let left = whole.length
        for (const { items, metadata } of parts) {
          left -= items.length
          // Kubernetes counts the rest only where no selector could reject some of it.
          if (selector === '' && metadata.continue !== undefined) assert.equal(metadata.remainingItemCount, left)
          else assert.equal(metadata.remainingItemCount, undefined)
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('later pages show the state of the first one', async () => {
  await using world = await listDouble(['n/a', 'n/c', 'n/e'])
  let name = 0
  const found = await pages(world, `${pathOf('n')}?limit=1`, () => world.add(`n/d${name++}`))
  assert.deepEqual(found.flatMap(keysOf), ['n/a', 'n/c', 'n/e'])
})

test('resourceVersion: an exact state of the past, or any state that is not older', async () => {
  await using world = await listDouble(['n/a'])
  const { resourceVersion } = (await listAt(world, ALL)).metadata
  await world.add('n/b')
  const keys = async (query: string) => keysOf(await listAt(world, `${ALL}?${query}`))
  assert.deepEqual(await keys(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`), ['n/a'])
  assert.deepEqual(await keys(`resourceVersion=${resourceVersion}&limit=5`), ['n/a'])
  assert.deepEqual(await keys(`resourceVersion=${resourceVersion}&limit=5&resourceVersionMatch=NotOlderThan`), ['n/a', 'n/b'])
  assert.deepEqual(await keys(`resourceVersion=${resourceVersion}`), ['n/a', 'n/b'])
  assert.deepEqual(await keys('resourceVersion=0&limit=1'), ['n/a', 'n/b'])
})

for (const [query, outcome] of [
  [
    'resourceVersion=x',
    '400 BadRequest: invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  ],
  [
    `continue=${encodeListToken({ revision: 1, from: 'n/a' })}&resourceVersion=1`,
    '400 BadRequest: specifying resource version is not allowed when using continue',
  ],
  ['labelSelector=a%20in&resourceVersionMatch=Exact', "400 BadRequest: unable to parse requirement: found '' expected: '('"],
  ['labelSelector=a%20in', "400 BadRequest: unable to parse requirement: found '' expected: '('"],
  ['fieldSelector=spec.a=b', '400 BadRequest: "spec.a" is not a known field selector: only "metadata.name", "metadata.namespace"'],
] as const)
  test(`GET ?${query}: ${outcome}`, async () => {
    await using world = await listDouble(['n/a'])
    assert.equal(await world.outcome(`GET ${ALL}?${query}`), outcome)
  })

test('a page of a revision that is still to come waits for it, and times out', async () => {
  await using world = await listDouble(['n/a'])
  const token = encodeListToken({ revision: 99_999_999, from: 'a' })
  const late = world.outcome(`GET ${pathOf('n')}?limit=1&continue=${token}`)
  for (let second = 0; second < 5; second++) await world.clock.advance(1000)
  assert.match(await late, /^504 Timeout: Timeout: Too large resource version: 99999999, current: \d+$/)
})
