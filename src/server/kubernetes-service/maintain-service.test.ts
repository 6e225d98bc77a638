import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { serverPartDouble } from '../../cluster/server/server-part.double.ts'
import type { Target } from '../../machinery/api-call.ts'
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../resources/refs.ts'
import { keepKubernetesService } from './maintain-service.ts'
import { type ServerAddresses, sharedAddresses, soleAddress } from './server-addresses.ts'
import { upkeepOf } from './upkeep.ts'

const WHERE = { namespace: 'default', name: 'kubernetes' }

/** A server, and what keeps its service. */
async function stage() {
  const opened = await serverPartDouble(new VirtualClock())
  const { part, clock, client, serviceCidr, transport } = opened
  const { definitions } = part
  const deps = { reader: part.watchCache.reader, definitions, transport, log: silentLogger }
  const keep = (addresses: ServerAddresses | undefined, port = () => 6443) =>
    upkeepOf(keepKubernetesService({ serviceCidr, roles: true, gatedKinds: [], port: 6443 }, { ...deps, addresses, port }), clock)
  const read = async () => {
    const [endpoints, slice] = await Promise.all([client.get({ ...ENDPOINTS, ...WHERE }), client.get({ ...ENDPOINT_SLICES, ...WHERE })])
    const ips = (endpoints.subsets ?? []).flatMap((s) => (s.addresses ?? []).map(({ ip }) => ip))
    assert.deepEqual(
      (slice.endpoints ?? []).flatMap((e) => e.addresses),
      ips,
      'slice and endpoints say the same',
    )
    return ips
  }
  return { ...opened, keep, read }
}

test('deleted parts of the service kubernetes are restored within ten seconds', async () => {
  await using it = await stage()
  const stop = new AbortController()
  const kept = it.keep(soleAddress('192.0.2.7'))
  await kept.sync()
  const running = kept.run(stop.signal)
  assert.deepEqual(await it.read(), ['192.0.2.7'])
  for (const what of [ENDPOINTS, ENDPOINT_SLICES, SERVICES].map((ref): Target => ({ ...ref, ...WHERE }))) {
    await it.client.delete(what)
    await assert.rejects(it.client.get(what), { code: 404 })
    await it.clock.advance(10_000)
    assert.deepEqual((await it.client.get(what)).metadata.name, 'kubernetes')
  }
  assert.equal((await it.client.get({ ...SERVICES, ...WHERE })).spec?.clusterIP, '10.0.0.1')
  assert.deepEqual(await it.read(), ['192.0.2.7'])
  stop.abort()
  await running
  await kept.leave()
  assert.deepEqual(await it.read(), [])
})

test('nothing is written while all is as it should be', async () => {
  await using it = await stage()
  const kept = it.keep(soleAddress('192.0.2.7'))
  await kept.sync()
  const before = await it.store.latest()
  await kept.sync()
  await kept.sync()
  assert.equal(await it.store.latest(), before)
})

test('a server without an address for Endpoints leaves them alone, and maintains the service', async () => {
  await using it = await stage()
  await it.client.delete({ ...SERVICES, ...WHERE })
  await it.keep(undefined).sync()
  assert.equal((await it.client.get({ ...SERVICES, ...WHERE })).spec?.clusterIP, '10.0.0.1')
  await assert.rejects(it.read(), { code: 404 })
})

test('servers of one store are all in the endpoints; one that stops is removed at once, one that crashes when its lease ends', async () => {
  await using it = await stage()
  const kept = (ip: string) => it.keep(sharedAddresses(it.store, ip))
  const [a, b, c] = [kept('192.0.2.7'), kept('192.0.2.8'), kept('192.0.2.9')]
  for (const each of [a, b, c]) await each.sync()
  assert.deepEqual(await it.read(), ['192.0.2.7', '192.0.2.8', '192.0.2.9'])
  await a.leave()
  assert.deepEqual(await it.read(), ['192.0.2.8', '192.0.2.9'])
  for (let seconds = 0; seconds <= 20; seconds += 10) {
    await it.clock.advance(10_000)
    await c.sync()
  }
  assert.deepEqual(await it.read(), ['192.0.2.9'])
})

test('the endpoints follow the port of the server; a port that a user has set stays', async () => {
  await using it = await stage()
  let port = 6443
  const kept = it.keep(soleAddress('192.0.2.7'), () => port)
  const portOf = async () => (await it.client.get({ ...ENDPOINT_SLICES, ...WHERE })).ports?.[0]?.port
  await kept.sync()
  assert.equal(await portOf(), 6443)
  port = 40_001
  await kept.sync()
  assert.equal(await portOf(), 40_001)
  const endpoints = await it.client.get({ ...ENDPOINTS, ...WHERE })
  const subsets = (endpoints.subsets ?? []).map((s) => ({ ...s, ports: [{ name: 'https', port: 8443, protocol: 'TCP' as const }] }))
  await it.client.update({ ...ENDPOINTS, ...WHERE }, { ...endpoints, subsets })
  await kept.sync()
  assert.equal(await portOf(), 8443)
})
