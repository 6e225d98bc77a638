import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinResources } from '../../resources/builtin.ts'
import { parseOverride } from '../../server/options/storage.ts'
import { placeOverrides } from './place-overrides.ts'

const ROWS: readonly (readonly [name: string, flags: readonly string[], places: Readonly<Record<string, readonly string[]>>])[] = [
  ['a resource of the core group', ['/events#http://a:1'], { 'http://a:1': ['/events'] }],
  ['two resources in one etcd', ['/events#b;a', 'coordination.k8s.io/leases#a;b'], { 'b;a': ['/events', 'coordination.k8s.io/leases'] }],
  ['one resource before its group', ['batch/*#a', 'batch/jobs#b'], { a: ['batch/cronjobs'], b: ['batch/jobs'] }],
  ['the later one of two', ['/events#a', '/events#b'], { a: [], b: ['/events'] }],
  ['a group that does not store the resource', ['events.k8s.io/events#a'], { a: [] }],
  ['definitions and API services, which stay', ['apiextensions.k8s.io/*#a', 'apiregistration.k8s.io/apiservices#a'], { a: [] }],
  ['an unknown resource', ['example.com/widgets#a'], { a: [] }],
]
for (const [name, flags, expected] of ROWS)
  test(`overrides of etcd are placed: ${name}`, () => {
    const overrides = flags.map(parseOverride).filter((override) => override !== undefined)
    const places = placeOverrides(overrides, builtinResources())
    assert.deepEqual(Object.fromEntries(places.map(({ servers, resources }) => [servers.join(';'), [...resources].sort()])), expected)
  })

for (const text of ['', 'events#a', 'a/b/c#a', '/events', '/events#a#b', '/events#a;', '/events#'])
  test(`an override that is none: ${JSON.stringify(text)}`, () => assert.equal(parseOverride(text), undefined))
