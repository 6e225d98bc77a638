import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHttpRoute } from './read-objects.ts'
import { hostsOf, RouteTable, sharedHosts } from './route-table.ts'

const route = (name: string, spec: object, creationTimestamp = '2026-01-01T00:00:00Z') =>
  readHttpRoute({ apiVersion: 'v1', kind: 'HTTPRoute', metadata: { name, namespace: 'default', creationTimestamp }, spec })
const rule = (to: string, ...matches: readonly object[]) => ({ matches, backendRefs: [{ name: to, port: 80 }] })
const prefix = (value: string, more: object = {}) => ({ path: { type: 'PathPrefix', value }, ...more })
const exact = (value: string) => ({ path: { type: 'Exact', value } })

const SHOP = route('shop', {
  rules: [
    rule('front'),
    rule('api', prefix('/api')),
    rule('second', prefix('/api/v2/')),
    rule('health', exact('/api/health')),
    rule('writes', prefix('/api', { method: 'POST' })),
    rule('canary', prefix('/api', { headers: [{ name: 'X-Canary', value: 'yes' }] })),
    rule(
      'both',
      prefix('/api', {
        headers: [
          { name: 'x-canary', value: 'yes' },
          { name: 'x-user', value: 'me' },
        ],
      }),
    ),
    rule('debug', prefix('/api', { queryParams: [{ name: 'debug', value: '1' }] })),
    rule('second of the same', prefix('/api')),
  ],
})
const WILD = route('wild', { rules: [rule('wild', prefix('/'))] })
const OLDER = route('older', { rules: [rule('older', prefix('/old'))] }, '2025-01-01T00:00:00Z')
const YOUNGER = route('younger', { rules: [rule('younger', prefix('/old'))] })

const table = new RouteTable([
  { route: YOUNGER, hosts: ['shop.test'] },
  { route: SHOP, hosts: ['shop.test'] },
  { route: OLDER, hosts: ['shop.test'] },
  { route: WILD, hosts: ['*.test', ''] },
])

const REQUESTS: readonly [request: string, wanted: string | undefined, more?: { method?: string; headers?: Record<string, string> }][] = [
  ['shop.test/', 'front'],
  ['shop.test/api', 'api'],
  ['shop.test/apinot', 'front'],
  ['shop.test/api/v2', 'second'],
  ['shop.test/api/v2/x', 'second'],
  ['shop.test/api/health', 'health'],
  ['shop.test/api/health/x', 'api'],
  ['shop.test/api', 'writes', { method: 'POST' }],
  ['shop.test/api', 'canary', { headers: { 'x-canary': 'yes' } }],
  ['shop.test/api', 'both', { headers: { 'x-canary': 'yes', 'x-user': 'me' } }],
  ['shop.test/api', 'api', { headers: { 'x-canary': 'no' } }],
  ['shop.test/api?debug=1', 'debug'],
  ['shop.test/api?debug=12', 'api'],
  ['shop.test/old', 'older'],
  ['a.b.test/', 'wild'],
  ['elsewhere/', 'wild'],
]

for (const [request, wanted, { method = 'GET', headers = {} } = {}] of REQUESTS)
  test(`${method} ${request} ${JSON.stringify(headers)} goes to ${wanted}`, () => {
    const { host, pathname, searchParams } = new URL(`http://${request}`)
    const found = table.find({ host, method, path: pathname, query: searchParams, headers })
    assert.equal(found?.rule.backends[0]?.name, wanted)
  })

test('a host is one of all wildcards above it', () => {
  assert.deepEqual(hostsOf('a.b.test'), ['a.b.test', '*.b.test', '*.test', ''])
})

const SHARED: readonly [listener: string, hosts: readonly string[], shared: readonly string[]][] = [
  ['', [], ['']],
  ['', ['a.test'], ['a.test']],
  ['a.test', [], ['a.test']],
  ['a.test', ['a.test', 'b.test'], ['a.test']],
  ['*.test', ['a.test', 'a.b.test', 'a.other'], ['a.test', 'a.b.test']],
  ['a.b.test', ['*.test'], ['a.b.test']],
  ['*.b.test', ['*.test'], ['*.b.test']],
  ['a.test', ['b.test'], []],
]
for (const [listener, hosts, shared] of SHARED)
  test(`a listener of ${listener || 'all hosts'} and a route of ${hosts.join(', ') || 'all'} share ${shared.join(', ') || 'nothing'}`, () =>
    assert.deepEqual(sharedHosts(listener, hosts), shared))
