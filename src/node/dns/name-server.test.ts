import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import packet from 'dns-packet'
import { freePort } from '../../../test/free-port.ts'
import { systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { NameServer } from './name-server.ts'

const service = (name: string, spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec,
})
const many = Array.from({ length: 60 }, (_, i) => ({ addresses: [`10.1.0.${i + 1}`], hostname: `db-${i}` }))
const kinds: Readonly<Record<string, readonly KubeObject[]>> = {
  namespaces: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
  services: [
    service('web', { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'], ports: [{ name: 'http', port: 80 }] }),
    service('far', { type: 'ExternalName', externalName: 'example.com' }),
    service('db', { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] }),
  ],
  endpointslices: [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'db-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } },
      endpoints: many,
      ports: [{ name: 'sql', port: 5432 }],
    } as KubeObject,
  ],
}
const objects = {
  get: (_: string, resource: string, namespace: string, name: string) =>
    kinds[resource]?.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace),
  list: (_: string, resource: string) => kinds[resource] ?? [],
}
const server = new NameServer({ objects, upstream: [], clock: systemClock, random: systemRandom() })
const port = await freePort()
await server.listen('127.0.0.1', port)
after(() => server[Symbol.asyncDispose]())
const resolver = new Resolver({ timeout: 5000, tries: 1 })
resolver.setServers([`127.0.0.1:${port}`])

test('an ordinary resolver gets addresses, ports and names', async () => {
  assert.deepEqual(await resolver.resolve4('web.shop.svc.cluster.local'), ['10.0.0.7'])
  assert.deepEqual(await resolver.resolve4('10-1-2-3.shop.pod.cluster.local'), ['10.1.2.3'])
  assert.deepEqual(await resolver.resolve4('db-3.db.shop.svc.cluster.local'), ['10.1.0.4'])
  const [record] = await resolver.resolveSrv('_http._tcp.web.shop.svc.cluster.local')
  assert.deepEqual([record?.name, record?.port], ['web.shop.svc.cluster.local', 80])
  assert.deepEqual(await resolver.reverse('10.0.0.7'), ['web.shop.svc.cluster.local'])
  assert.deepEqual(await resolver.resolveCname('far.shop.svc.cluster.local'), ['example.com'])
})

test('a name that is there without such a record differs from one that is not there', async () => {
  const code = (work: Promise<unknown>) =>
    work.then(
      () => 'found',
      (error: { code?: string }) => error.code,
    )
  assert.equal(await code(resolver.resolve6('web.shop.svc.cluster.local')), 'ENODATA')
  assert.equal(await code(resolver.resolve4('shop.svc.cluster.local')), 'ENODATA')
  assert.equal(await code(resolver.resolve4('nothing.shop.svc.cluster.local')), 'ENOTFOUND')
  assert.equal(await code(resolver.resolve4('example.com')), 'ESERVFAIL', 'nobody else can be asked')
})

const question = packet.encode({ type: 'query', id: 7, questions: [{ type: 'A', name: 'DB.shop.svc.cluster.local' }] })

test('what is too long for a message of UDP is cut, and whole over TCP', async () => {
  const udp = createSocket('udp4')
  udp.send(question, port, '127.0.0.1')
  const [short] = await once(udp, 'message')
  udp.close()
  const cut = packet.decode(short)
  assert.deepEqual([cut.id, cut.flag_tc, cut.answers?.length], [7, true, 0])
  const tcp = connect(port, '127.0.0.1')
  tcp.write(packet.streamEncode({ type: 'query', id: 8, questions: [{ type: 'A', name: 'db.shop.svc.cluster.local' }] }))
  let bytes = Buffer.alloc(0)
  for await (const chunk of tcp) {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE()) break
  }
  assert.equal(packet.decode(bytes.subarray(2)).answers?.length, 60)
})

test('bytes that are no question get no answer, and stop nothing', async () => {
  const udp = createSocket('udp4')
  for (const bytes of [Buffer.alloc(0), Buffer.from([1, 2, 3]), Buffer.alloc(600, 255)]) udp.send(bytes, port, '127.0.0.1')
  udp.send(question, port, '127.0.0.1')
  const [reply] = await once(udp, 'message')
  udp.close()
  assert.equal(packet.decode(reply).id, 7)
})
