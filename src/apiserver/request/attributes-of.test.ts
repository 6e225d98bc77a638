import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attributesOf } from './attributes-of.ts'
import { isLongRunning } from './long-running.ts'
import { parseQuery } from './query.ts'
import { readRequest } from './read-request.ts'

const user = { name: 'ann', groups: [] }

/** Verb, place and selectors of a request, and whether it is long-running. */
function attributes(line: string): string {
  const [method = '', url = ''] = line.split(' ')
  const [path = '', search = ''] = url.split('?')
  const query = parseQuery(search)
  const info = readRequest(method, path, query)
  const a = attributesOf(user, info, query)
  assert.equal(a.user, user)
  assert.equal(a.path, path)
  if (!a.resourceRequest) return `${a.verb} a path`
  const place = [a.group, a.version, a.namespace, a.resource, a.name, a.subresource].join('/')
  return [a.verb, place, a.fieldSelector, a.labelSelector, isLongRunning(info) ? 'long' : undefined].filter((part) => part).join(' ')
}

const PODS = '/api/v1/namespaces/n/pods'

for (const [line, expected] of [
  [`GET ${PODS}?labelSelector=a&fieldSelector=b=c`, 'list /v1/n/pods// b=c a'],
  [`DELETE ${PODS}?labelSelector=a`, 'deletecollection /v1/n/pods// a'],
  [`GET ${PODS}?watch=true&labelSelector=a`, 'watch /v1/n/pods// a long'],
  [`GET ${PODS}?watch=false`, 'list /v1/n/pods//'],
  [`GET ${PODS}?watch`, 'watch /v1/n/pods// long'],
  // Selectors mean nothing to other verbs.
  [`GET ${PODS}/p?labelSelector=a&fieldSelector=b`, 'get /v1/n/pods/p/'],
  [`POST ${PODS}?labelSelector=a`, 'create /v1/n/pods//'],
  // A list of one name is authorized for that name.
  [`GET ${PODS}?fieldSelector=metadata.name=p`, 'list /v1/n/pods/p/ metadata.name=p'],
  [`GET ${PODS}?fieldSelector=metadata.name!=p`, 'list /v1/n/pods// metadata.name!=p'],
  [`GET ${PODS}?fieldSelector=metadata.name=a/b`, 'list /v1/n/pods// metadata.name=a/b'],
  [`GET ${PODS}?fieldSelector=metadata.name`, 'list /v1/n/pods// metadata.name'],
  [`DELETE ${PODS}?fieldSelector=metadata.name=p`, 'deletecollection /v1/n/pods// metadata.name=p'],
  // Streams have no time limit.
  [`GET ${PODS}/p/log`, 'get /v1/n/pods/p/log long'],
  [`POST ${PODS}/p/exec`, 'create /v1/n/pods/p/exec long'],
  [`GET ${PODS}/p/attach`, 'get /v1/n/pods/p/attach long'],
  [`GET ${PODS}/p/portforward`, 'get /v1/n/pods/p/portforward long'],
  [`GET /api/v1/proxy/namespaces/n/pods/p`, 'proxy /v1/n/pods/p/ long'],
  [`GET /api/v1/namespaces/n/services/s/proxy/x`, 'get /v1/n/services/s/proxy long'],
  [`POST ${PODS}/p/eviction`, 'create /v1/n/pods/p/eviction'],
  ['GET /apis/apps/v1/deployments', 'list apps/v1//deployments//'],
  ['GET /healthz?watch=true', 'get a path'],
  ['POST /version', 'post a path'],
] as const)
  test(`${line}: ${expected}`, () => assert.equal(attributes(line), expected))
