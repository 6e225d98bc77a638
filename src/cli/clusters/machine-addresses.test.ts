import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ServiceSpec } from '../../resources/types/core.ts'
import type { Ingress } from '../../resources/types/networking.ts'
import { gatewayUrls, ingressUrls, servicePorts } from './machine-addresses.ts'

const NONE_CLOSED = { nodePorts: true, closed: new Set<string>() }
const ports = [{ port: 80, nodePort: 30_080 }]
const balanced = (ingress: object) => ({ status: { loadBalancer: { ingress: [ingress] } } })

suite('addresses of this machine', () => {
  const SERVICES: readonly [string, ServiceSpec, object | undefined, readonly string[]][] = [
    ['a node port', { type: 'NodePort', ports }, undefined, ['127.0.0.1:30080']],
    ['a load balancer', { type: 'LoadBalancer', ports }, { ip: '127.1.2.3' }, ['127.0.0.1:30080', '127.1.2.3:80']],
    ['a load balancer with a name', { type: 'LoadBalancer', ports: [{ port: 80 }] }, { hostname: 'lb.example' }, ['lb.example:80']],
    ['UDP', { type: 'NodePort', ports: [{ port: 53, protocol: 'UDP', nodePort: 30_053 }] }, undefined, []],
    ['a service without one', { type: 'ClusterIP', ports: [{ port: 80 }] }, undefined, []],
  ]
  for (const [what, spec, ingress, expected] of SERVICES)
    test(`of ${what}`, () => assert.deepEqual(servicePorts({ spec, ...(ingress && balanced(ingress)) }, NONE_CLOSED), expected))

  test('a port that could not be opened is marked', () => {
    const closed = new Set(['127.0.0.1:30080'])
    const expected = ['127.0.0.1:30080 (not open: see its event PortNotOpened)']
    assert.deepEqual(servicePorts({ spec: { type: 'NodePort', ports } }, { nodePorts: true, closed }), expected)
  })

  test('without node ports there are load balancers', () => {
    const found = servicePorts(
      { spec: { type: 'LoadBalancer', ports }, ...balanced({ ip: '192.0.2.1' }) },
      { ...NONE_CLOSED, nodePorts: false },
    )
    assert.deepEqual(found, ['192.0.2.1:80'])
  })

  const [http, https] = [22_080, 22_443].map((port) => ({ port, protocol: 'TCP' as const }))
  const hosts = { rules: [{ host: 'a.localhost' }, { host: '*.b.localhost' }, {}], tls: [{ hosts: ['a.localhost'] }] }
  const plain = ['http://a.localhost:22080/', 'http://any.b.localhost:22080/', 'http://localhost:22080/']
  const INGRESSES: readonly [string, Ingress['spec'], object | undefined, readonly string[]][] = [
    ['not served yet', hosts, undefined, []],
    ['of all hosts', {}, { ip: '127.0.0.1', ports: [http] }, ['http://localhost:22080/']],
    ['with hosts', hosts, { ip: '127.0.0.1', ports: [http] }, plain],
    ['with TLS', hosts, { ip: '127.0.0.1', ports: [http, https] }, [...plain, 'https://a.localhost:22443/']],
    ['of another controller', hosts, { ip: '192.0.2.1' }, ['192.0.2.1']],
  ]
  for (const [what, spec, ingress, expected] of INGRESSES)
    test(`an Ingress ${what}`, () => assert.deepEqual(ingressUrls({ ...(spec && { spec }), ...(ingress && balanced(ingress)) }), expected))

  const listener = (status: string, message: string) => ({ conditions: [{ type: 'Accepted' }, { type: 'Programmed', status, message }] })
  const GATEWAYS: readonly [string, object, readonly string[]][] = [
    [
      'with listeners',
      { listeners: [listener('True', 'http://a:8088/ on this machine'), listener('False', 'http://b:1/')] },
      ['http://a:8088/'],
    ],
    ['of another controller', { listeners: [listener('True', '')], addresses: [{ value: '192.0.2.1' }] }, ['192.0.2.1']],
    ['without a status', {}, []],
  ]
  for (const [what, status, expected] of GATEWAYS) test(`a Gateway ${what}`, () => assert.deepEqual(gatewayUrls({ status }), expected))
})
