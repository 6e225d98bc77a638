import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../../base/steps.ts'
import type { HTTPIngressPath, Ingress, IngressSpec } from '../../../resources/types/networking.ts'
import { IngressRules } from './ingress-rules.ts'

const backend = (name: string) => ({ service: { name, port: { number: 80 } } })
const prefix = (path: string, name: string): HTTPIngressPath => ({ path, pathType: 'Prefix', backend: backend(name) })
const exact = (path: string, name: string): HTTPIngressPath => ({ path, pathType: 'Exact', backend: backend(name) })
const ingress = (name: string, spec: IngressSpec, creationTimestamp = '2026-01-01T00:00:00Z'): Ingress => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name, namespace: 'default', creationTimestamp },
  spec,
})
const host = (name: string, ...paths: readonly HTTPIngressPath[]) => ({ host: name, http: { paths } })

const SHOP = ingress('shop', {
  rules: [
    host('shop.test', prefix('/', 'front'), prefix('/api', 'api'), prefix('/api/v2/', 'second'), exact('/api/health', 'health')),
    host('*.shop.test', prefix('/', 'tenants')),
    { http: { paths: [prefix('/any', 'any')] } },
  ],
})
const REST = ingress('rest', { defaultBackend: backend('rest') })
const OLDER = ingress(
  'older',
  { rules: [host('shop.test', prefix('/api', 'older'), exact('/api/health', 'older'))] },
  '2025-01-01T00:00:00Z',
)
const OTHER_KIND = ingress('bucket', {
  rules: [host('shop.test', { path: '/files', pathType: 'Prefix', backend: { resource: { kind: 'Bucket', name: 'b' } } })],
})

const ROWS: readonly (readonly [rule: string, ingresses: readonly Ingress[], host: string, path: string, service: string | undefined])[] = [
  ['a host', [SHOP], 'shop.test', '/', 'front'],
  ['a host in capitals', [SHOP], 'Shop.Test', '/', 'front'],
  ['the longest prefix', [SHOP], 'shop.test', '/api/v2/x', 'second'],
  ['a prefix of whole elements', [SHOP], 'shop.test', '/apiary', 'front'],
  ['a prefix without its last slash', [SHOP], 'shop.test', '/api/v2', 'second'],
  ['an exact path before a prefix', [SHOP], 'shop.test', '/api/health', 'health'],
  ['an exact path alone', [SHOP], 'shop.test', '/api/health/', 'api'],
  ['a wildcard, one label', [SHOP], 'acme.shop.test', '/', 'tenants'],
  ['a wildcard is not for two labels', [SHOP], 'a.b.shop.test', '/', undefined],
  ['a wildcard is not for its own domain', [ingress('w', { rules: [host('*.test', prefix('/', 'w'))] })], 'test', '/', undefined],
  ['rules without a host', [SHOP], 'elsewhere.test', '/any/x', 'any'],
  [
    'rules without a host, where those of the host do not match',
    [ingress('x', { rules: [host('a.test', prefix('/a', 'a')), ...(SHOP.spec?.rules ?? [])] })],
    'a.test',
    '/any',
    'any',
  ],
  ['no rule', [SHOP], 'elsewhere.test', '/', undefined],
  ['the default backend', [SHOP, REST], 'elsewhere.test', '/', 'rest'],
  ['the older of two for one prefix', [SHOP, OLDER], 'shop.test', '/api', 'older'],
  ['the older of two for one exact path', [SHOP, OLDER], 'shop.test', '/api/health', 'older'],
  ['a backend that is no service', [SHOP, OTHER_KIND], 'shop.test', '/files/a', 'front'],
]
for (const [rule, ingresses, asked, path, service] of ROWS)
  test(`a request is routed by: ${rule}`, () => assert.equal(atOnce(IngressRules.of(ingresses)).find(asked, path)?.service, service))

test('the rules of thousands of paths are read in turns, and a request is led by the elements of its path alone', () => {
  const many = Array.from({ length: 30_000 }, (_, i) => prefix(`/p${i}`, `s${i}`))
  const steps = IngressRules.of([ingress('many', { rules: [host('many.test', ...many)] })])
  let turns = 0
  for (;;) {
    const step = steps.next()
    if (step.done !== true) {
      turns++
      continue
    }
    assert.equal(step.value.find('many.test', '/p29999/x')?.service, 's29999')
    assert.equal(step.value.find('many.test', `/${'x/'.repeat(100_000)}`), undefined)
    break
  }
  assert.ok(turns >= 4, `${turns} turns`)
})
