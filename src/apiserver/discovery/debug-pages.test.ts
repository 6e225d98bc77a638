import assert from 'node:assert/strict'
import { test } from 'node:test'
import { debugPage } from './debug-pages.ts'

for (const [path, code, type] of [
  ['/debug/pprof', 302, 'text/html'],
  ['/debug/pprof/', 200, 'text/html'],
  ['/debug/pprof/heap', 404, 'text/plain'],
  ['/debug/flags', 200, 'text/html'],
  ['/debug/flags/v', 406, 'text/plain'],
] as const) {
  test(`${path} is answered with ${code}`, () => {
    const page = debugPage({ path })
    assert.equal(page?.code, code)
    assert.ok(page?.headers['content-type']?.startsWith(type))
  })
}

test('no other path is among the pages for profiles', () => {
  for (const path of ['/debug', '/debug/', '/debug/flags/x', '/debug/pprofs']) assert.equal(debugPage({ path }), undefined)
})
