/** Services with addresses on this machine, by programs of this machine. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { machineAddresses } from '../../src/cli/clusters/machine-addresses.ts'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import type { ContainerProcess } from '../../src/node/programs/program.ts'
import { CORE_EVENTS, PODS, SERVICES } from '../../src/resources/refs.ts'
import type { Service, ServiceSpec } from '../../src/resources/types/core.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const pods = { ...PODS, namespace: 'default' }
const services = { ...SERVICES, namespace: 'default' }
const PATIENCE = { timeoutMs: 60_000 }

/** Responds with the name of its pod. */
const named = async (container: ContainerProcess) => {
  await container.listen(8080, () => new Response(container.environment.HOSTNAME ?? ''))
}

async function world(t: TestContext) {
  const cluster = await startCluster({ port: 0, ephemeral: true, serviceAddresses: true, images: { 'example/named': named } })
  t.after(() => cluster[Symbol.asyncDispose]())
  const client = cluster.client()
  const spec = { containers: [{ name: 'main', image: 'example/named' }] }
  for (const name of ['a', 'b'])
    await waitFor(() => client.create(pods, pod(name, { metadata: { labels: { app: 'web', name } }, spec })), PATIENCE)
  for (const name of ['a', 'b']) await waitFor(async () => (await client.get({ ...pods, name })).status?.phase === 'Running', PATIENCE)
  const create = (name: string, more: Partial<ServiceSpec>, selector: Record<string, string> = { app: 'web' }) => {
    const made = service(name, selector)
    return client.create(services, { ...made, spec: { ...made.spec, ports: [{ port: 8080 }], ...more } })
  }
  const events = async () => (await client.list({ ...CORE_EVENTS, namespace: 'default' })).items
  return { client, create, events }
}

/** The body of a response; undefined: the connection is refused or reset. */
const fetched = (host: string, port: number) =>
  new Promise<string | undefined>((resolve) => {
    const request = http.get({ host, port, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(text)
    })
    request.on('error', () => resolve(undefined))
  })
const nodePortOf = ({ spec }: Service) => spec?.ports?.[0]?.nodePort ?? 0
const answers = (host: string, port: number, body: string) => waitFor(async () => (await fetched(host, port)) === body, PATIENCE)
const closed = (host: string, port: number) =>
  waitFor(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port }, () => {
          socket.destroy()
          resolve(false)
        })
        socket.on('error', () => resolve(true))
      }),
    PATIENCE,
  )

test('node ports', { timeout: 240_000 }, async (t) => {
  const { client, create, events } = await world(t)
  await t.test('lead to an endpoint, and are closed with their service', async () => {
    const port = nodePortOf(await create('one', { type: 'NodePort' }, { name: 'a' }))
    await answers('127.0.0.1', port, 'a')
    await client.patch({ ...services, name: 'one' }, 'merge', { spec: { selector: { name: 'b' } } })
    await answers('127.0.0.1', port, 'b')
    await client.patch({ ...services, name: 'one' }, 'merge', { spec: { type: 'ClusterIP', ports: [{ port: 8080, nodePort: null }] } })
    await closed('127.0.0.1', port)
  })
  await t.test('of a service without endpoints reset connections, as do those whose endpoints are elsewhere', async () => {
    const port = nodePortOf(await create('none', { type: 'NodePort' }, { app: 'nothing' }))
    await waitFor(async () => (await fetched('127.0.0.1', port)) === undefined, PATIENCE)
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'far', labels: { 'kubernetes.io/service-name': 'none' } },
    }
    const far = { ...slice, addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ port: 80 }] }
    await client.create({ group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', namespace: 'default' }, far)
    assert.equal(await fetched('127.0.0.1', port), undefined)
  })
  await t.test('that another program of the machine has opened are reported as an event', async (inner) => {
    const taken = http.createServer().listen(0, '127.0.0.1')
    inner.after(() => taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const first = await create('gone', { type: 'NodePort' })
    const nodePort = nodePortOf(first)
    await answersAny(nodePort)
    await client.delete({ ...services, name: 'gone' })
    await closed('127.0.0.1', nodePort)
    const squatter = http.createServer().listen(nodePort, '127.0.0.1')
    inner.after(() => squatter.close())
    await new Promise((resolve) => squatter.once('listening', resolve))
    await create('taken', { type: 'NodePort', ports: [{ port: 8080, nodePort }] })
    const event = await waitFor(async () => (await events()).find((e) => e.reason === 'PortNotOpened'), PATIENCE)
    assert.equal(event.message, `127.0.0.1:${nodePort} is not open on this machine: another program uses it`)
    const shown = await machineAddresses(client, { nodePorts: true, since: '2026-01-01T00:00:00Z' })
    assert.deepEqual(shown.at(-1), {
      kind: 'service',
      name: 'default/taken',
      at: [`127.0.0.1:${nodePort} (not open: see its event PortNotOpened)`],
    })
  })
})
const answersAny = (port: number) => waitFor(async () => /^[ab]$/.test((await fetched('127.0.0.1', port)) ?? ''), PATIENCE)

test('load balancers', { timeout: 240_000 }, async (t) => {
  const { client, create } = await world(t)
  const addressOf = (name: string) =>
    waitFor(async () => (await client.get({ ...services, name })).status?.loadBalancer?.ingress?.[0]?.ip, PATIENCE)
  await t.test('have an address of their own in their status, where their own ports are open', async () => {
    await create('one', { type: 'LoadBalancer' }, { name: 'a' })
    await create('two', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }, { name: 'b' })
    const [one, two] = [await addressOf('one'), await addressOf('two')]
    assert.match(one, /^127\.\d+\.\d+\.1$/)
    assert.match(two, /^127\.\d+\.\d+\.2$/)
    await answers(one, 8080, 'a')
    await answers(two, 8080, 'b')
  })
  await t.test('let in only the clients of loadBalancerSourceRanges', async () => {
    await create('far', { type: 'LoadBalancer', loadBalancerSourceRanges: ['192.0.2.0/24'] }, { name: 'a' })
    const ip = await addressOf('far')
    assert.equal(await fetched(ip, 8080), undefined)
    await client.patch({ ...services, name: 'far' }, 'merge', { spec: { loadBalancerSourceRanges: ['192.0.2.0/24', '127.0.0.0/8'] } })
    await answers(ip, 8080, 'a')
  })
  await t.test('lose both when the service has another type', async () => {
    const ip = await addressOf('one')
    await client.patch({ ...services, name: 'one' }, 'merge', { spec: { type: 'ClusterIP', ports: [{ port: 8080, nodePort: null }] } })
    await closed(ip, 8080)
    await waitFor(async () => (await client.get({ ...services, name: 'one' })).status?.loadBalancer?.ingress === undefined, PATIENCE)
  })
  await t.test('of a class are left to the controller of that class', async () => {
    await create('classed', { type: 'LoadBalancer', loadBalancerClass: 'example.com/mine' }, { name: 'a' })
    const later = await create('later', { type: 'LoadBalancer' }, { name: 'a' })
    await addressOf(later.metadata.name ?? '')
    assert.deepEqual((await client.get({ ...services, name: 'classed' })).status?.loadBalancer, {})
  })
})
