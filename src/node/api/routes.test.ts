import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { nodeAttributes } from './access/attributes.ts'
import { cleanPath, findRoute, type RouteTable } from './routes.ts'

const handler = () => undefined
const TABLE: RouteTable = {
  plain: { '/healthz': handler, '/metrics': handler },
  services: [
    { prefix: '/pods', produces: ['application/json'], routes: [{ path: '', methods: { GET: handler } }] },
    {
      prefix: '/logs/',
      routes: [
        { path: '', methods: { GET: handler } },
        { path: '/{logpath:*}', methods: { GET: handler } },
      ],
    },
    { prefix: '/exec', routes: [{ path: '/{ns}/{pod}/{container}', methods: { GET: handler, POST: handler } }] },
  ],
}

/** The outcome of a request, in short. */
function outcome(method: string, path: string, accept = ''): string {
  const found = findRoute(TABLE, { method, path, search: '?a=1', accept })
  if (found.kind === 'handler') return `handler ${JSON.stringify(found.parameters)}`
  const { code, headers } = found.answer
  return `${found.kind} ${code}${headers.Location === undefined ? '' : ` ${headers.Location}`}${headers.Allow === undefined ? '' : ` ${headers.Allow}`}`
}

test('what is escaped in a path names no other folder', () => {
  const found = findRoute(TABLE, { method: 'GET', path: '/logs/../pods', escaped: '/logs/%2e%2e/pods', search: '', accept: '' })
  assert.deepEqual(found.kind === 'handler' && found.parameters, { logpath: '../pods' })
  assert.equal(outcome('GET', '/logs/../pods'), 'open 307 /pods?a=1')
})

describe('routes', () => {
  for (const [method, path, accept, wanted] of [
    ['GET', '/healthz', '', 'handler {}'],
    ['PATCH', '/healthz', '', 'handler {}'],
    ['GET', '/healthz/', '', 'open 404'],
    ['GET', '/nothing', '', 'open 404'],
    ['GET', '/pods', '', 'handler {}'],
    ['GET', '/pods/', '', 'handler {}'],
    ['GET', '/pods/one', '', 'refused 404'],
    ['PUT', '/pods', '', 'refused 405 GET'],
    ['GET', '/pods', 'text/html', 'refused 406'],
    ['GET', '/pods', 'text/html, */*;q=0.1', 'handler {}'],
    ['GET', '/logs', '', 'open 307 /logs/?a=1'],
    ['GET', '/logs/a/b', '', 'handler {"logpath":"a/b"}'],
    ['DELETE', '/exec/a/b/c', '*/*', 'refused 405 GET, POST'],
    ['GET', '/exec/a/b/c/', '*/*', 'handler {"ns":"a","pod":"b","container":"c"}'],
    ['GET', '/exec/a/b', '*/*', 'refused 404'],
    ['GET', '//pods', '', 'open 307 /pods?a=1'],
    ['GET', '/logs/../pods', '', 'open 307 /pods?a=1'],
    ['constructor', '/pods', '', 'refused 405 GET'],
    ['GET', '/constructor', '', 'open 404'],
  ] as const)
    test(`${method} ${path} ${accept}: ${wanted}`, () => assert.equal(outcome(method, path, accept), wanted))
})

test('a cleaned path is clean, and every path gets a response', () => {
  const part = fc.constantFrom('', '.', '..', 'pods', 'logs', 'exec', 'a', '__proto__')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.constantFrom('GET', 'PUT', 'HEAD'), (parts, method) => {
      const path = `/${parts.join('/')}`
      const clean = cleanPath(path)
      assert.equal(cleanPath(clean), clean)
      assert.ok(!clean.split('/').includes('..'))
      const found = findRoute(TABLE, { method, path, search: '', accept: '' })
      // A request that is not redirected has a clean path: authorization and routing see the same path.
      if (found.kind === 'handler') assert.equal(path, clean)
    }),
  )
})

test('the authorization attributes of a path', () => {
  const rights = (path: string) => nodeAttributes('GET', path).subresources.join(' ')
  for (const [path, wanted] of [
    ['/pods', 'pods proxy'],
    ['/pods/x', 'pods proxy'],
    ['/podsx', 'proxy'],
    ['/runningpods/', 'pods proxy'],
    ['/healthz/ping', 'healthz proxy'],
    ['/configz', 'configz proxy'],
    ['/flagz', 'configz'],
    ['/statusz', 'statusz'],
    ['/stats/summary', 'stats'],
    ['/metrics/cadvisor', 'metrics'],
    ['/logs/pods/', 'log'],
    ['/checkpoint/a/b/c', 'checkpoint'],
    ['/exec/a/b/c', 'proxy'],
    ['/debug/pprof/', 'proxy'],
  ] as const)
    assert.equal(rights(path), wanted, path)
  assert.deepEqual(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'toString'].map((m) => nodeAttributes(m, '/pods').verb),
    ['get', 'create', 'update', 'patch', 'delete', '', '', ''],
  )
})
