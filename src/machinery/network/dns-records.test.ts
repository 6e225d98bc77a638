import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../object.ts'
import type { Reader } from '../resource/definition.ts'
import { type RecordType, recordsOf } from './dns-records.ts'

const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'shop' }, spec })
const slice = (name: string, of: string, more: object) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, namespace: 'shop', labels: { 'kubernetes.io/service-name': of } },
  ...more,
})
const kinds: Readonly<Record<string, readonly KubeObject[]>> = {
  services: [
    service('web', { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7', 'fd00::7'], ports: [{ name: 'http', port: 80 }] }),
    service('mail', { type: 'ExternalName', externalName: 'web.shop.svc.cluster.local' }),
    service('far', { type: 'ExternalName', externalName: 'example.com' }),
    service('db', { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] }),
  ],
  endpointslices: [
    slice('db-1', 'db', {
      endpoints: [
        { addresses: ['10.1.0.1'], hostname: 'db-0' },
        { addresses: ['10.1.0.2'] },
        { addresses: ['10.1.0.3'], conditions: { ready: false } },
      ],
      ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }],
    }),
  ],
}
const objects = {
  get: (_: string, resource: string, namespace: string, name: string) =>
    kinds[resource]?.find((o) => o.metadata.name === name && o.metadata.namespace === namespace),
  list: (_: string, resource: string) => kinds[resource] ?? [],
} as unknown as Reader

const cases: readonly (readonly [string, RecordType, readonly string[]])[] = [
  ['web.shop.svc.cluster.local', 'A', ['10.0.0.7']],
  ['web.shop.svc.cluster.local.', 'AAAA', ['fd00::7']],
  ['web.shop.svc.cluster.local', 'CNAME', []],
  ['far.shop.svc.cluster.local', 'CNAME', ['example.com.']],
  ['far.shop.svc.cluster.local', 'A', ['example.com.']],
  ['mail.shop.svc.cluster.local', 'A', ['web.shop.svc.cluster.local.', '10.0.0.7']],
  ['_http._tcp.web.shop.svc.cluster.local', 'SRV', ['0 100 80 web.shop.svc.cluster.local.']],
  [
    '_sql._tcp.db.shop.svc.cluster.local',
    'SRV',
    ['0 50 5432 db-0.db.shop.svc.cluster.local.', '0 50 5432 10-1-0-2.db.shop.svc.cluster.local.'],
  ],
  ['7.0.0.10.in-addr.arpa.', 'PTR', ['web.shop.svc.cluster.local.']],
  ['7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa', 'PTR', ['web.shop.svc.cluster.local.']],
  ['1.0.1.10.in-addr.arpa', 'PTR', ['db-0.db.shop.svc.cluster.local.']],
  ['2.0.1.10.in-addr.arpa', 'PTR', ['10-1-0-2.db.shop.svc.cluster.local.']],
  ['3.0.1.10.in-addr.arpa', 'PTR', []],
  ['web.shop.svc.cluster.local', 'PTR', []],
  ['nobody.shop.svc.cluster.local', 'A', []],
]

for (const [name, type, data] of cases)
  test(`the name server answers ${type} of ${name}`, () => {
    assert.deepEqual(
      recordsOf(name, type, objects).map((r) => r.data),
      data,
    )
  })
