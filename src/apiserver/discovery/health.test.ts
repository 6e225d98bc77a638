import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HealthCheck } from '../request/plain-paths.ts'
import { parseQuery } from '../request/query.ts'
import { health, healthChecks } from './health.ts'

const OWN: readonly HealthCheck[] = [
  { name: 'etcd-override-0', group: 'etcd', endpoints: ['healthz', 'livez', 'readyz'], check: async () => undefined },
  { name: 'etcd-override-readiness-0', group: 'etcd-readiness', endpoints: ['readyz'], check: async () => undefined },
]
const ask = async (path: string, query: string, failing: readonly string[] = []) => {
  const look = async () => new Map(failing.map((name) => [name, 'it is away']))
  const { code, body } = (await health(path, parseQuery(query), { look, checks: healthChecks(true), more: OWN })) ?? {}
  return { code, lines: String(body).split('\n') }
}
const etcdOf = (lines: readonly string[]) => lines.filter((line) => line.includes('etcd'))

test('checks of this server alone follow those of its store, at the endpoints that they are for', async () => {
  const { lines } = await ask('/readyz', 'verbose')
  assert.deepEqual(etcdOf(lines), ['[+]etcd ok', '[+]etcd-readiness ok', '[+]etcd-override-0 ok', '[+]etcd-override-readiness-0 ok'])
  assert.deepEqual(etcdOf((await ask('/livez', 'verbose')).lines), ['[+]etcd ok', '[+]etcd-override-0 ok'])
})

test('a check is excluded by its name or by its group', async () => {
  const { code, lines } = await ask('/readyz', 'verbose&exclude=etcd', ['etcd', 'etcd-override-0'])
  assert.deepEqual(
    [code, ...etcdOf(lines).slice(0, 3)],
    [200, '[+]etcd excluded: ok', '[+]etcd-readiness ok', '[+]etcd-override-0 excluded with etcd: ok'],
  )
  assert.equal((await ask('/readyz', 'exclude=etcd-override-0', ['etcd-override-0'])).code, 200)
  assert.equal((await ask('/readyz', 'exclude=other', ['etcd-override-0'])).code, 500)
})

test('a single check says why it fails', async () => {
  assert.deepEqual(await ask('/livez/etcd-override-0', '', ['etcd-override-0']), {
    code: 500,
    lines: ['internal server error: it is away', ''],
  })
  assert.equal((await ask('/livez/etcd-override-readiness-0', '')).code, undefined)
})
