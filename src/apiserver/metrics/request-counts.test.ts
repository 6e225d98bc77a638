import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../base/exposition.ts'
import type { ServedResource } from '../cache/resource-registry.ts'
import type { PathTarget } from '../request/request-info.ts'
import { type CountedCall, MOST_ROUTES, RequestCounts, RouteCounts } from './request-counts.ts'

const linesOf = (counts: RequestCounts) => exposition(counts.families()).split('\n')

test('pages are counted as kube-apiserver counts them: few of them, by names of their own', () => {
  const counts = new RequestCounts()
  for (const [path, method] of [
    ['/healthz', 'GET'],
    ['/healthz', 'HEAD'],
    ['/healthz', 'BREW'],
    ['/api', 'GET'],
    ['/openapi/v3/apis/apps/v1', 'GET'],
    ['/flagz', 'GET'],
  ] as const)
    counts.ofPage(path, method)?.done(200, 0.01)
  for (const path of ['/', '/version', '/metrics', '/healthz/ping', '/apis/apps', '/openapi/v2', '/constructor'])
    assert.equal(counts.ofPage(path, 'GET'), undefined, path)
  const none = 'dry_run="",group=""'
  assert.deepEqual(
    linesOf(counts)
      .filter((line) => line.startsWith('apiserver_request_total'))
      .sort(),
    [
      `apiserver_request_total{code="200",component="",${none},resource="",scope="",subresource="/healthz",verb="GET",version=""} 2`,
      `apiserver_request_total{code="200",component="",${none},resource="",scope="",subresource="/healthz",verb="other",version=""} 1`,
      `apiserver_request_total{code="200",component="",${none},resource="",scope="",subresource="openapi/v3/",verb="GET",version=""} 1`,
      `apiserver_request_total{code="200",component="apiserver",${none},resource="",scope="",subresource="api",verb="GET",version=""} 1`,
      `apiserver_request_total{code="200",component="apiserver",${none},resource="flagz",scope="",subresource="",verb="GET",version=""} 1`,
    ].sort(),
  )
})

test('the sizes of the bodies of deletions are counted too', () => {
  const of = (verb: string) => new RouteCounts({ labels: { verb }, long: false, deprecated: false })
  assert.notEqual(of('DELETE').bodies, undefined)
  assert.equal(of('GET').bodies, undefined)
})

test('beyond many routes, requests are counted together: as many series as are read in turns', () => {
  const counts = new RequestCounts()
  const served = (i: number) =>
    ({ definition: { group: `g${i}.example`, names: { plural: 'things' } }, version: { version: 'v1' } }) as unknown as ServedResource
  const target = { name: '', namespace: 'default', subresource: '' } as PathTarget
  const request = { info: { verb: 'list' }, query: new URLSearchParams() } as unknown as CountedCall['request']
  for (let i = 0; i < MOST_ROUTES + 5; i++) counts.of({ request, target, served: served(i), subresource: undefined }).done(200, 0.01, 10)
  const totals = linesOf(counts).filter((line) => line.startsWith('apiserver_request_total'))
  assert.equal(totals.length, MOST_ROUTES + 1)
  assert.ok(totals.some((line) => line.includes('group="other"') && line.endsWith(' 5')))
})
