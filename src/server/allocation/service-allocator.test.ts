import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { exposition } from '../../base/exposition.ts'
import type { Draft, KubeObject } from '../../machinery/object.ts'
import { rulesContext } from '../../machinery/resource/rules-context.double.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { services } from '../../resources/core/services.ts'
import type { Service } from '../../resources/types/core.ts'
import { AllocationMetrics } from './allocation-metrics.ts'
import type { Allocations } from './allocations.ts'
import { createServiceAllocator } from './service-allocator.ts'

const { rules } = services

/** Allocations that are visible at once. */
function allocationsDouble(): Allocations & { readonly owners: Map<string, string> } {
  const owners = new Map<string, string>()
  return {
    owners,
    async take(name, owner) {
      if (!owners.has(name)) owners.set(name, owner)
      return owners.get(name) === owner
    },
    async give(name, owner) {
      if (owners.get(name) === owner) owners.delete(name)
    },
    all: async () => [...owners].map(([name, owner]) => ({ name, owner })),
  }
}

/** A cluster with services and addresses only. */
function cluster(cidrs: readonly string[] = ['10.0.0.0/24'], range = { first: 30_000, last: 32_767 }) {
  const nodePorts = allocationsDouble()
  const metrics = new AllocationMetrics(new VirtualClock(0))
  const allocators = { services: createServiceAllocator({ nodePorts: range }, nodePorts, metrics) }
  const stored = new Map<string, Draft<Service>>()
  const addresses = new Map<string, KubeObject>()
  /** Addresses that are in the store but not in the cache yet. */
  const hidden = new Map<string, KubeObject>()
  const cidr = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'kubernetes' }, spec: { cidrs } }
  const context = (now: number) =>
    rulesContext({
      now,
      allocators,
      reader,
      writer: {
        create: async (_group, _resource, object) => {
          if (addresses.has(object.metadata.name ?? '') || hidden.has(object.metadata.name ?? '')) return false
          addresses.set(object.metadata.name ?? '', object)
          return true
        },
        delete: async (_group, _resource, _namespace, name) => {
          addresses.delete(name)
        },
      },
    })
  const reader = {
    get: (_group: string, resource: string, _namespace: string, name: string) =>
      resource === 'ipaddresses' ? addresses.get(name) : undefined,
    list: (_group: string, resource: string) =>
      ({ servicecidrs: [cidr], services: [...stored.values()], ipaddresses: [...addresses.values()] })[resource] ?? [],
  }
  const draftOf = (name: string, spec: object): Draft<Service> => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'x', uid: `uid of ${name}` },
    spec: structuredClone(spec),
  })
  return {
    addresses,
    metrics: () => exposition(metrics.families(reader, range)).split('\n'),
    nodePorts,
    hidden,
    async create(name: string, spec: object, now = 0): Promise<Draft<Service>> {
      const draft = draftOf(name, spec)
      rules.defaults?.(draft)
      rules.prepareForCreate?.(draft, context(now))
      // Admission and validation come between.
      await Promise.resolve()
      await rules.reserve?.(draft, undefined, context(now))
      stored.set(name, draft)
      return draft
    },
    async update(name: string, spec: object): Promise<Draft<Service>> {
      const old = stored.get(name)
      assert.ok(old)
      const draft = draftOf(name, spec)
      rules.defaults?.(draft)
      rules.prepareForUpdate?.(draft, old, context(0))
      const reserved = await rules.reserve?.(draft, old, context(0))
      stored.set(name, draft)
      await reserved?.done?.()
      return draft
    },
    async remove(name: string): Promise<void> {
      const old = stored.get(name)
      assert.ok(old)
      stored.delete(name)
      await rules.afterDelete?.(old, context(0))
    },
  }
}

const ports = [{ port: 80 }]
const nodePortOf = (service: Service) => service.spec?.ports?.[0]?.nodePort ?? 0
const refused = (text: RegExp) => (error: unknown) => error instanceof StatusError && text.test(error.message)

test('every service gets an address of its own, and an IPAddress for it', async () => {
  const c = cluster()
  const made = await Promise.all(Array.from({ length: 50 }, (_, i) => c.create(`s${i}`, { ports })))
  assert.equal(new Set(made.map((s) => s.spec?.clusterIP)).size, 50)
  assert.equal(c.addresses.size, 50)
  await c.remove('s0')
  assert.equal(c.addresses.size, 49)
})

test('an address in use is refused; a released one can be allocated', async () => {
  const c = cluster()
  await c.create('a', { ports, clusterIP: '10.0.0.7' })
  await assert.rejects(c.create('b', { ports, clusterIP: '10.0.0.7' }), refused(/provided IP is already allocated/))
  for (const clusterIP of ['10.1.0.7', '10.0.0.0'])
    await assert.rejects(c.create('b', { ports, clusterIP }), refused(/the provided network does not match the current range/))
  await c.remove('a')
  assert.equal((await c.create('b', { ports, clusterIP: '10.0.0.7' })).spec?.clusterIP, '10.0.0.7')
})

test('a range that is used up is an error of the server, and not before', async () => {
  const c = cluster(['10.0.0.0/29'])
  for (let i = 0; i < 6; i++) await c.create(`s${i}`, { ports })
  await assert.rejects(c.create('one more', { ports }), refused(/range is full/))
})

test('of many at once for the last addresses, some get one and the others are told that the range is full', async () => {
  const c = cluster(['10.0.0.0/29'])
  for (let i = 0; i < 4; i++) await c.create(`s${i}`, { ports })
  const made = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => c.create(`last-${i}`, { ports })))
  const failures = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  assert.equal(failures.length, 6)
  for (const failure of failures) assert.match(String(failure), /range is full/)
})

test('node ports are unique, and kept by an update that does not name them', async () => {
  const c = cluster()
  const a = await c.create('a', { ports, type: 'NodePort' })
  const nodePort = nodePortOf(a)
  assert.ok(nodePort >= 30086 && nodePort <= 32767)
  await assert.rejects(c.create('b', { type: 'NodePort', ports: [{ port: 80, nodePort }] }), refused(/provided port is already allocated/))
  const updated = await c.update('a', { ports, type: 'NodePort' })
  assert.equal(nodePortOf(updated), nodePort)
  assert.equal(updated.spec?.clusterIP, a.spec?.clusterIP)
})

test('one port number for two protocols has one node port in a new service, and two in a changed one', async () => {
  const c = cluster()
  const dns = [
    { name: 'a', port: 53, protocol: 'TCP' },
    { name: 'b', port: 53, protocol: 'UDP' },
  ]
  const numbers = (service: Service) => new Set(service.spec?.ports?.map((p) => p.nodePort)).size
  assert.equal(numbers(await c.create('new', { ports: dns, type: 'NodePort' })), 1)
  await c.create('changed', { ports: dns })
  assert.equal(numbers(await c.update('changed', { ports: dns, type: 'NodePort' })), 2)
})

test('a changed service that uses a node port twice is refused before it is validated', async () => {
  const c = cluster()
  await c.create('a', { ports, type: 'NodePort' })
  const twice = [1, 2].map((port) => ({ port, protocol: 'TCP', nodePort: 30_200 }))
  await assert.rejects(c.update('a', { ports: twice, type: 'NodePort' }), refused(/^duplicate nodePort: {TCP 30200}$/))
})

test('two families give two addresses where the cluster has them', async () => {
  const c = cluster(['10.0.0.0/24', 'fd00::/112'])
  const both = await c.create('a', { ports, ipFamilyPolicy: 'RequireDualStack' })
  assert.deepEqual(both.spec?.ipFamilies, ['IPv4', 'IPv6'])
  assert.equal(both.spec?.clusterIPs?.length, 2)
  const one = await c.update('a', { ...both.spec, ipFamilyPolicy: 'SingleStack' })
  assert.deepEqual(one.spec?.clusterIPs, [both.spec?.clusterIPs?.[0]])
  assert.equal(c.addresses.size, 1)
  await assert.rejects(cluster().create('a', { ports, ipFamilyPolicy: 'RequireDualStack' }), refused(/not configured for dual-stack/))
})

test('a service that becomes an external name releases its address', async () => {
  const c = cluster()
  await c.create('a', { ports })
  const external = await c.update('a', { type: 'ExternalName', externalName: 'a.b' })
  assert.equal(external.spec?.clusterIP, undefined)
  assert.equal(c.addresses.size, 0)
})

test('a chosen address that another server takes is replaced; a requested one is refused', async () => {
  const c = cluster()
  const seen = await c.create('a', { ports, type: 'NodePort' })
  await c.remove('a')
  const [ip, port] = [seen.spec?.clusterIP ?? '', nodePortOf(seen)]
  // The same random numbers would choose the same port again; this server's cache does not show that it is taken.
  c.nodePorts.owners.set(String(port), 'a service elsewhere')
  c.hidden.set(ip, { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name: ip } })
  const b = await c.create('b', { ports, type: 'NodePort' })
  assert.notEqual(b.spec?.clusterIP, ip)
  assert.deepEqual(b.spec?.clusterIPs, [b.spec?.clusterIP])
  assert.notEqual(nodePortOf(b), port)
  await assert.rejects(
    c.create('c', { type: 'NodePort', ports: [{ port: 80, nodePort: port }] }),
    refused(/spec.ports\[0\].nodePort: Invalid value: \d+: provided port is already allocated/),
  )
  await assert.rejects(c.create('d', { ports, clusterIP: ip }), refused(/failed to allocate IP .*: provided IP is already allocated/))
  assert.deepEqual([...c.nodePorts.owners.values()].sort(), ['a service elsewhere', 'uid of b'])
  assert.equal(c.addresses.size, 1, 'who was refused gave back what it had')
})

test('a port that a service lets go is given back when the write is done, and not before', async () => {
  const c = cluster()
  await c.create('a', { ports, type: 'NodePort' })
  assert.equal(c.nodePorts.owners.size, 1)
  await c.update('a', { ports, type: 'ClusterIP' })
  assert.equal(c.nodePorts.owners.size, 0)
})

for (const [first, last, reserved] of [
  [100, 119, 16],
  [7, 7, 0],
  [200, 215, 0],
] as const)
  test(`node ports are from the configured range, those for explicit requests last: ${JSON.stringify(first)}`, async () => {
    const c = cluster(undefined, { first, last })
    const got: number[] = []
    for (let i = first; i <= last; i++) got.push(nodePortOf(await c.create(`s${i}`, { ports, type: 'NodePort' })))
    assert.deepEqual(
      [...got].sort((a, b) => a - b),
      Array.from(got, (_, i) => first + i),
    )
    for (const port of got.slice(0, got.length - reserved)) assert.ok(port >= first + reserved, `${port} of ${first}-${last}`)
    const more = c.create('more', { ports, type: 'NodePort' })
    await assert.rejects(more, /failed to allocate a nodePort: range is full/)
    await assert.rejects(
      c.create('outside', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_000 }] }),
      refused(new RegExp(`provided port is not in the valid range. The range of valid ports is ${first}-${last}`)),
    )
  })

test('a service with too many faults gets a bounded message', async () => {
  const many = Array.from({ length: 150_000 }, (_, i) => `a${i}`)
  for (const wanted of [{ clusterIP: 'a0', clusterIPs: many }, { clusterIPs: many }, { ipFamilies: many }]) {
    const error = await cluster()
      .create('s', { ports, ...wanted })
      .catch((e: unknown) => e)
    assert.ok(error instanceof StatusError && error.status.code === 422, `${error}`)
    assert.ok((error.status.details?.causes?.length ?? 0) <= 1000)
  }
})

test('metrics: allocations are counted, and what is free', async () => {
  const { create, metrics } = cluster()
  await create('chosen', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] })
  await create('any', { type: 'NodePort', ports: [{ port: 80 }] })
  const lines = metrics()
  const [ips, ports] = ['kube_apiserver_clusterip_allocator', 'kube_apiserver_nodeport_allocator']
  for (const line of [
    `${ips}_allocation_total{cidr="10.0.0.0/24",scope="static"} 1`,
    `${ips}_allocation_total{cidr="10.0.0.0/24",scope="dynamic"} 1`,
    `${ips}_allocation_duration_seconds_count{cidr="10.0.0.0/24"} 2`,
    `${ips}_allocated_ips{cidr="10.0.0.0/24"} 2`,
    `${ips}_available_ips{cidr="10.0.0.0/24"} 252`,
    `${ports}_allocation_total{scope="static"} 1`,
    `${ports}_allocation_total{scope="dynamic"} 1`,
    `${ports}_allocated_ports 2`,
    `${ports}_available_ports 2766`,
  ])
    assert.ok(lines.includes(line), line)
})
