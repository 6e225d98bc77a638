import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rewriteHtml, rewriteLink } from './rewrite-links.ts'

const PLACE = { prefix: '/api/v1/nodes/n/proxy', hosts: ['10.0.0.1:80'] }

for (const [link, wanted] of [
  ['/stats/', '/api/v1/nodes/n/proxy/stats/'],
  ['/a?b=c#d', '/api/v1/nodes/n/proxy/a?b=c#d'],
  ['http://10.0.0.1:80/x', '/api/v1/nodes/n/proxy/x'],
  ['https://example.com/x', 'https://example.com/x'],
  ['//example.com/x', '//example.com/x'],
  ['relative/', 'relative/'],
  ['#top', '#top'],
  ['/api/v1/nodes/n/proxy/x', '/api/v1/nodes/n/proxy/x'],
] as const)
  test(`links of the host itself lead through the proxy, others stay: ${JSON.stringify(link)}`, () =>
    assert.equal(rewriteLink(link, PLACE), wanted, link))

test('a page keeps everything but its links', () => {
  const page = '<!doctype html><a class=x href="/a">/a</a> <img src=\'/b\'> <p title="/c">3 < 4 href="/d"</p>'
  const wanted =
    '<!doctype html><a class=x href="/api/v1/nodes/n/proxy/a">/a</a> <img src=\'/api/v1/nodes/n/proxy/b\'> <p title="/c">3 < 4 href="/d"</p>'
  assert.equal(rewriteHtml(page, PLACE), wanted)
})
