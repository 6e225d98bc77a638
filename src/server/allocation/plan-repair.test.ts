import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ipAddressOf } from '../../resources/networking/ip-address-of.ts'
import type { Service } from '../../resources/types/core.ts'
import { planRepair } from './plan-repair.ts'

const service = (name: string, ip: string, ...nodePorts: number[]): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'x', name, uid: `uid-${name}` },
  spec: { type: 'NodePort', clusterIP: ip, clusterIPs: [ip], ports: nodePorts.map((nodePort) => ({ port: 80, nodePort })) },
})
const port = (name: string, owner: string) => ({ name, owner: `uid-${owner}` })

const a = service('a', '10.0.0.7', 30001)
const address = (ip: string, s: Service) => ipAddressOf(ip, s)

const TABLE: readonly (readonly [string, Parameters<typeof planRepair>[0], string])[] = [
  ['everything is written down', { services: [a], addresses: [address('10.0.0.7', a)], nodePorts: [port('30001', 'a')] }, ''],
  ['an older version wrote no ports down', { services: [a], addresses: [address('10.0.0.7', a)], nodePorts: [] }, '+30001'],
  ['an address object was deleted by hand', { services: [a], addresses: [], nodePorts: [port('30001', 'a')] }, '+10.0.0.7'],
  [
    'a service went without giving back',
    { services: [], addresses: [address('10.0.0.7', a)], nodePorts: [port('30001', 'a')] },
    '-30001 -10.0.0.7',
  ],
  [
    'a service of the same name is not the one that took the port',
    {
      services: [{ ...a, metadata: { ...a.metadata, uid: 'uid-other' } }],
      addresses: [address('10.0.0.7', a)],
      nodePorts: [port('30001', 'a')],
    },
    '-30001',
  ],
  [
    'headless services and external names have nothing',
    {
      services: [
        { ...a, spec: { clusterIP: 'None', clusterIPs: ['None'], ports: [] } },
        { ...a, spec: { type: 'ExternalName', ports: [] } },
      ],
      addresses: [],
      nodePorts: [],
    },
    '',
  ],
  [
    "somebody's own address object is not ours to delete",
    { services: [], addresses: [{ ...address('10.0.0.9', a), metadata: { name: '10.0.0.9' } }], nodePorts: [] },
    '',
  ],
]
for (const [title, books, expected] of TABLE) {
  test(title, () => {
    const { ports, ips, leakedPorts, leakedIps } = planRepair(books)
    const seen = [
      ...ports.map((p) => `+${p.port}`),
      ...ips.map((i) => `+${i.ip}`),
      ...leakedPorts.map((p) => `-${p.name}`),
      ...leakedIps.map((i) => `-${i}`),
    ]
    assert.equal(seen.join(' '), expected)
  })
}
