import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidateNames, type ResolverSpec, resolvConf, resolverOf } from './resolver.ts'

const AT = { namespace: 'shop', nameserver: '10.96.0.10' }
const SEARCH = 'search shop.svc.cluster.local svc.cluster.local cluster.local'
const HOST = 'nameserver 198.18.0.53\n'
const CLUSTER = `${SEARCH}\nnameserver 10.96.0.10\noptions ndots:5\n`

/** A pod's policy and configuration, its resolv.conf, and whether the cluster's server is asked. */
const FILES: readonly (readonly [spec: ResolverSpec, file: string, cluster: boolean])[] = [
  [{}, CLUSTER, true],
  [{ dnsPolicy: 'ClusterFirst' }, CLUSTER, true],
  [{ dnsPolicy: 'ClusterFirst', hostNetwork: true }, HOST, false],
  [{ dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, CLUSTER, true],
  [{ dnsPolicy: 'Default' }, HOST, false],
  [{ dnsPolicy: 'None' }, '', false],
  [{ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'] } }, 'nameserver 1.1.1.1\n', false],
  [{ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1', '10.96.0.10'] } }, 'nameserver 1.1.1.1\nnameserver 10.96.0.10\n', true],
  [
    { dnsConfig: { nameservers: ['10.96.0.10', '1.1.1.1'], searches: ['a.b', 'cluster.local'], options: [{ name: 'debug' }] } },
    `${SEARCH} a.b\nnameserver 10.96.0.10\nnameserver 1.1.1.1\noptions ndots:5 debug\n`,
    true,
  ],
  [
    {
      dnsConfig: {
        options: [
          { name: 'ndots', value: '2' },
          { name: 'timeout', value: '3' },
        ],
      },
    },
    `${SEARCH}\nnameserver 10.96.0.10\noptions ndots:2 timeout:3\n`,
    true,
  ],
]
for (const [spec, file, cluster] of FILES)
  test(`resolv.conf of ${JSON.stringify(spec)}`, () => {
    const resolver = resolverOf(spec, AT)
    assert.deepEqual([resolvConf(resolver), resolver.cluster], [file, cluster])
  })

/** A name, the number of dots from which it is taken as whole first, and the names that are asked for. */
const NAMES: readonly (readonly [name: string, ndots: string | undefined, asked: readonly string[]])[] = [
  ['db', '5', ['db.a.svc', 'db.b', 'db']],
  ['db.', '5', ['db']],
  ['a.b.c', '2', ['a.b.c', 'a.b.c.a.svc', 'a.b.c.b']],
  ['a.b', '2', ['a.b.a.svc', 'a.b.b', 'a.b']],
  ['db', undefined, ['db.a.svc', 'db.b', 'db']],
  ['a.b', undefined, ['a.b', 'a.b.a.svc', 'a.b.b']],
]
for (const [name, ndots, requested] of NAMES)
  test(`names tried for ${name} with ndots ${ndots}`, () => {
    const options = ndots === undefined ? [] : [{ name: 'ndots', value: ndots }]
    assert.deepEqual(candidateNames(name, { nameservers: [], searches: ['a.svc.', 'b'], options, cluster: true }), requested)
  })
