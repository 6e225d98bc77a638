import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedHeaders, locationOf, rewrittenPath } from './apply-filters.ts'
import type { PathChange, Redirect, RouteMatch } from './gateway-types.ts'

const matched = (path: string): RouteMatch => ({ exact: false, path, method: undefined, headers: [], query: [] })
const prefix = (path: string): PathChange => ({ kind: 'prefix', path })

test('headers are set, added and removed', () => {
  const changes = {
    set: [{ name: 'A', value: '1' }],
    add: [
      { name: 'b', value: '2' },
      { name: 'c', value: '3' },
    ],
    remove: ['d'],
  }
  assert.deepEqual(changedHeaders({ a: '0', b: '1', d: 'x' }, changes), { a: '1', b: '1, 2', c: '3' })
  assert.deepEqual(changedHeaders({ a: '0' }, undefined), { a: '0' })
})

// The examples of the API's own documentation.
const PATHS: readonly [match: string, change: PathChange, from: string, to: string][] = [
  ['/foo', prefix('/xyz'), '/foo/bar', '/xyz/bar'],
  ['/foo', prefix('/xyz/'), '/foo/bar', '/xyz/bar'],
  ['/foo/', prefix('/xyz'), '/foo/bar', '/xyz/bar'],
  ['/foo/', prefix('/xyz/'), '/foo/bar', '/xyz/bar'],
  ['/foo', prefix('/xyz'), '/foo', '/xyz'],
  ['/foo', prefix('/xyz'), '/foo/', '/xyz/'],
  ['/foo', prefix(''), '/foo/bar', '/bar'],
  ['/foo', prefix(''), '/foo', '/'],
  ['/foo', prefix('/'), '/foo/', '/'],
  ['/foo', prefix('/'), '/foo?a=b', '/?a=b'],
  ['/', { kind: 'whole', path: '/one' }, '/a/b?c=d', '/one?c=d'],
]
for (const [match, path, from, to] of PATHS)
  test(`the ${path.kind} path ${JSON.stringify(path.path)} for ${match} makes ${to} of ${from}`, () =>
    assert.equal(rewrittenPath(from, { path }, matched(match)), to))

const FROM = { scheme: 'http', host: 'shop.test', port: 20080, path: '/a?b=c' }
const REDIRECTS: readonly [redirect: Omit<Redirect, 'statusCode'>, location: string][] = [
  [{}, 'http://shop.test:20080/a?b=c'],
  [{ scheme: 'https' }, 'https://shop.test/a?b=c'],
  [{ scheme: 'https', port: 22443 }, 'https://shop.test:22443/a?b=c'],
  [{ hostname: 'new.test', port: 80 }, 'http://new.test/a?b=c'],
  [{ path: { kind: 'whole', path: '/new' } }, 'http://shop.test:20080/new?b=c'],
]
for (const [redirect, location] of REDIRECTS)
  test(`${JSON.stringify(redirect)} leads to ${location}`, () =>
    assert.equal(locationOf({ ...redirect, statusCode: 302 }, FROM, matched('/')), location))
