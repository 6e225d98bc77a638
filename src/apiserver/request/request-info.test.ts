import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from './query.ts'
import { requestInfo } from './request-info.ts'

const info = (method: string, path: string, watching = false) => {
  const { verb, target: t } = requestInfo(method, path, { watching })
  return t === undefined ? verb : `${verb} ${t.group}/${t.version} ${t.namespace}|${t.resource}|${t.name}|${t.subresource}|${t.rest}`
}

const PATHS: readonly (readonly [string, string, string])[] = [
  ['GET', '/api/v1/namespaces/n/pods/p', 'get /v1 n|pods|p||'],
  ['GET', '/api/v1/pods', 'list /v1 |pods|||'],
  ['POST', '/apis/apps/v1/namespaces/n/deployments', 'create apps/v1 n|deployments|||'],
  ['PUT', '/apis/apps/v1/namespaces/n/deployments/d/scale', 'update apps/v1 n|deployments|d|scale|'],
  ['GET', '/api/v1/namespaces/n', 'get /v1 n|namespaces|n||'],
  ['GET', '/api/v1/namespaces/n/', 'get /v1 n|namespaces|n||'],
  ['PUT', '/api/v1/namespaces/n/finalize', 'update /v1 n|namespaces|n|finalize|'],
  ['GET', '/api/v1/watch/namespaces/n/pods', 'watch /v1 n|pods|||'],
  ['PUT', '/api/v1/watch/namespaces/n/pods/p/status', 'watch /v1 n|pods|p|status|'],
  ['GET', '/api/v1/proxy/namespaces/n/pods/p/a', 'proxy /v1 n|pods|p||'],
  ['GET', '/api/v1/namespaces/n/pods/p/proxy/a/b', 'get /v1 n|pods|p|proxy|/a/b'],
  ['DELETE', '/api/v1/nodes', 'deletecollection /v1 |nodes|||'],
  ['GET', '/healthz', 'get'],
  ['GET', '/apis/apps/v1', 'get'],
  ['GET', '/api/v1//', 'get'],
  ['GET', '//api/v1/nodes//', 'list /v1 |nodes|||'],
  ['GET', '/api//v1', 'list / |v1|||'],
  ['POST', '/apis/apps//x', 'create apps/ |x|||'],
  ['GET', '/apis//v1/x', 'list /v1 |x|||'],
  ['GET', '/api/v1//nodes', 'get /v1 ||nodes||'],
]
for (const [method, path, expected] of PATHS) test(`${method} ${path}`, () => assert.equal(info(method, path), expected))

test('a watch of a named object is a plain get', () => assert.equal(info('GET', '/api/v1/nodes/n', true), 'get /v1 |nodes|n||'))

test('a watch path takes no name from a field selector', () =>
  assert.equal(requestInfo('GET', '/api/v1/watch/pods', { watching: false, fieldName: 'p' }).target?.name, ''))

for (const path of ['/api/v1/watch', '/api/v1/watch//', '/api/v1/proxy/', '/apis/apps/v1/watch'])
  test(`a path that ends with its prefix has no request info: ${path}`, () =>
    assert.throws(() => requestInfo('GET', path, { watching: false }), /unable to determine kind and namespace from url/))

test('query pairs with semicolons or broken escapes are left out', () => {
  const query = parseQuery('limit=1;x=2&a=%zz&b=c+d&b=e')
  assert.deepEqual([query.get('limit'), query.get('a'), query.all('b')], [undefined, undefined, ['c d', 'e']])
})
