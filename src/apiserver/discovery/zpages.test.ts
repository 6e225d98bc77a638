import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { parseQuery } from '../request/query.ts'
import { statusPage } from './zpages.ts'

const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
const page = statusPage(clock, 'v1.36.3')
const ask = (accept?: string) =>
  page({ method: 'GET', path: '/statusz', query: parseQuery(''), headers: { ...(accept && { accept }) }, user: { name: 'a', groups: [] } })

for (const [accept, type, version] of [
  ['application/json;v=v1beta1;g=config.k8s.io;as=Statusz', 'application/json', 'v1beta1'],
  ['application/yaml;v=v1alpha1;g=config.k8s.io;as=Statusz', 'application/yaml', 'v1alpha1'],
] as const)
  test(`/statusz for ${accept}`, () => {
    const { headers, body } = ask(accept)
    assert.equal(headers['content-type'], `${type};g=config.k8s.io;v=${version};as=Statusz`)
    assert.equal(headers.warning !== undefined, version === 'v1alpha1')
    for (const fact of ['2026-01-01T00:00:00Z', `config.k8s.io/${version}`, '1.36', '/healthz'])
      assert.ok(String(body).includes(fact), fact)
  })

for (const accept of [undefined, '*/*', 'text/*'])
  test(`/statusz for ${accept} is text`, () => {
    assert.match(String(ask(accept).body), /^\napiserver statusz\n\nStart time: 2026-01-01T00:00:00Z\nUptime seconds: 0\n/)
  })

test('/statusz for another type is refused', () => {
  assert.throws(
    () => ask('application/json'),
    /only the following media types are accepted: application\/json, application\/yaml, text\/plain/,
  )
})
