import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { forwarded, splitProxyPath } from './forward-proxy.ts'

const paths: readonly (readonly [url: string, prefix: string, rest: string, search: string])[] = [
  ['/api/v1/namespaces/a/pods/p/proxy/x?y=z', '/api/v1/namespaces/a/pods/p/proxy', '/x', '?y=z'],
  ['/api/v1/nodes/n/proxy', '/api/v1/nodes/n/proxy', '', ''],
  [
    '/api/v1/namespaces/a/services/https:s:web/proxy/a/services/b/proxy/',
    '/api/v1/namespaces/a/services/https:s:web/proxy',
    '/a/services/b/proxy/',
    '',
  ],
  ['/api/v1/namespaces/services/pods/proxy/proxy/x', '/api/v1/namespaces/services/pods/proxy/proxy', '/x', ''],
]
for (const [url, prefix, rest, search] of paths)
  test(`${url} is split behind its own proxy`, () => assert.deepEqual(splitProxyPath(url), { prefix, rest, search }))

const SENT = {
  host: 'api',
  authorization: 'Bearer t',
  'x-remote-user': 'admin',
  connection: 'Upgrade, X-Secret',
  upgrade: 'spdy/3.1',
  'x-secret': 's',
  te: 'trailers',
  'x-a': 'b',
}

test('a request is forwarded without credentials and hop-by-hop headers', () => {
  assert.deepEqual(forwarded({ headers: SENT }), { Host: 'api', 'X-A': 'b', 'X-Forwarded-For': '127.0.0.1' })
})

test('an upgrade names nothing but itself as belonging to the connection', () => {
  const upgrade = { socket: new PassThrough(), head: Buffer.alloc(0) }
  const { Connection, Upgrade, ...rest } = forwarded({ headers: SENT, upgrade })
  assert.deepEqual([Connection, Upgrade], ['Upgrade', 'spdy/3.1'])
  assert.deepEqual(rest, { Host: 'api', 'X-A': 'b', 'X-Forwarded-For': '127.0.0.1' })
})

test('existing X-Forwarded-For values are kept', () => {
  assert.equal(forwarded({ headers: { 'x-forwarded-for': '10.0.0.1' } })['X-Forwarded-For'], '10.0.0.1, 127.0.0.1')
})
