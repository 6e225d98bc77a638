import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../base/exposition.ts'
import { RequestCounts, RouteCounts } from './request-counts.ts'

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
