/** Gateway API on this machine: HTTPRoutes of definitions that the user installs, by HTTP clients of this machine. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { type TestContext, test } from 'node:test'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import type { ContainerProcess } from '../../src/node/programs/program.ts'
import { DEFINITIONS } from '../../src/resources/apiextensions/types.ts'
import { PODS, SERVICES } from '../../src/resources/refs.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { freePort } from '../free-port.ts'

const GROUP = 'gateway.networking.k8s.io'
const PATIENCE = { timeoutMs: 60_000 }
const namespaced = <T extends object>(ref: T) => ({ ...ref, namespace: 'default' })
const ref = (resource: string) => ({ group: GROUP, version: 'v1', resource })

/** A definition that lets everything through: the rules of the real ones are not ours. */
const definition = (kind: string, plural: string, scope: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}`, annotations: { 'api-approved.kubernetes.io': 'https://example.com' } },
  spec: {
    group: GROUP,
    scope,
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

/** Responds with its own name, and what it has received. */
const echo = async (container: ContainerProcess) => {
  const server = http.createServer(({ method, url, headers }, response) => {
    response.setHeader('x-from', 'echo')
    response.end(JSON.stringify({ pod: container.facts.pod.name, method, url, headers }))
  })
  await container.listen(8080, { connection: (socket) => void server.emit('connection', socket) })
}

async function world(t: TestContext) {
  const cluster = await startCluster({ port: 0, ephemeral: true, serviceAddresses: true, images: { 'example/echo': echo } })
  t.after(() => cluster[Symbol.asyncDispose]())
  const client = cluster.client()
  const spec = { containers: [{ name: 'main', image: 'example/echo' }] }
  for (const name of ['one', 'two']) {
    await waitFor(() => client.create(namespaced(PODS), pod(name, { metadata: { labels: { app: name } }, spec })), PATIENCE)
    const made = service(name, { app: name })
    await client.create(namespaced(SERVICES), { ...made, spec: { ...made.spec, ports: [{ port: 80, targetPort: 8080 }] } })
  }
  for (const [kind, plural, scope] of [
    ['GatewayClass', 'gatewayclasses', 'Cluster'],
    ['Gateway', 'gateways', 'Namespaced'],
    ['HTTPRoute', 'httproutes', 'Namespaced'],
    ['ReferenceGrant', 'referencegrants', 'Namespaced'],
  ] as const)
    await client.create({ ...DEFINITIONS, version: 'v1' }, definition(kind, plural, scope))
  const create = (kind: string, resource: string, name: string, spec: object) => {
    const target = kind === 'GatewayClass' ? ref(resource) : namespaced(ref(resource))
    return waitFor(() => client.create(target, { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec } as KubeObject), PATIENCE)
  }
  return { client, create }
}

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string; readonly message: string }[]
  readonly addresses?: readonly { readonly value: string }[]
  readonly listeners?: readonly { readonly name: string; readonly attachedRoutes: number }[]
  readonly parents?: readonly { readonly controllerName: string; readonly conditions: NonNullable<Status['conditions']> }[]
}
const summary = (conditions: Status['conditions'] = []) => conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)

const ask = (port: number, path: string, headers: Readonly<Record<string, string>>, method = 'GET') =>
  new Promise<{ status: number; body: string; headers: http.IncomingHttpHeaders }>((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode ?? 0, body, headers: response.headers })
    })
    request.on('error', reject).end()
  })

test('Gateway API', { timeout: 240_000 }, async (t) => {
  const { client, create } = await world(t)
  const port = await freePort()
  await create('GatewayClass', 'gatewayclasses', 'local', { controllerName: 'bowsprit.dev/gateway' })
  await create('GatewayClass', 'gatewayclasses', 'foreign', { controllerName: 'example.com/other' })
  await create('Gateway', 'gateways', 'edge', { gatewayClassName: 'local', listeners: [{ name: 'web', port, protocol: 'HTTP' }] })
  await create('HTTPRoute', 'httproutes', 'shop', {
    parentRefs: [{ name: 'edge' }],
    hostnames: ['shop.localhost'],
    rules: [
      { backendRefs: [{ name: 'one', port: 80 }] },
      {
        matches: [{ path: { type: 'PathPrefix', value: '/old' } }],
        filters: [
          { type: 'URLRewrite', urlRewrite: { hostname: 'inner', path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/new' } } },
          { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'X-Set', value: 's' }], remove: ['x-secret'] } },
          { type: 'ResponseHeaderModifier', responseHeaderModifier: { add: [{ name: 'x-from', value: 'proxy' }] } },
        ],
        backendRefs: [{ name: 'two', port: 80 }],
      },
      {
        matches: [{ path: { type: 'Exact', value: '/moved' } }],
        filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'there.test', port: 80, statusCode: 301 } }],
      },
      {
        matches: [{ path: { value: '/split' } }],
        backendRefs: [
          { name: 'one', port: 80, weight: 1 },
          { name: 'two', port: 80, weight: 1 },
        ],
      },
      {
        matches: [{ path: { value: '/zero' } }],
        backendRefs: [
          { name: 'one', port: 80, weight: 0 },
          { name: 'two', port: 80 },
        ],
      },
      { matches: [{ path: { value: '/none' } }], backendRefs: [{ name: 'missing', port: 80 }] },
    ],
  })
  const statusOf = async (resource: string, name: string) =>
    (
      await client.get<KubeObject<unknown, Status>>({
        ...(resource === 'gatewayclasses' ? ref(resource) : namespaced(ref(resource))),
        name,
      })
    ).status
  const to = (path: string, headers: Readonly<Record<string, string>> = {}, method?: string) =>
    ask(port, path, { host: `shop.localhost:${port}`, ...headers }, method)
  const podOf = async (path: string) => JSON.parse((await to(path)).body).pod
  await waitFor(async () => (await to('/').catch(() => undefined))?.status === 200, PATIENCE)

  await t.test('a request goes where the rules say, with what filters change', async () => {
    assert.equal(await podOf('/'), 'one')
    const { body, headers } = await to('/old/a?b=c', { 'x-secret': 'x' })
    const seen = JSON.parse(body)
    assert.deepEqual([seen.pod, seen.url, seen.headers.host], ['two', '/new/a?b=c', 'inner'])
    assert.deepEqual([seen.headers['x-set'], seen.headers['x-secret'], headers['x-from']], ['s', undefined, 'echo, proxy'])
    const moved = await to('/moved?a=b')
    assert.deepEqual([moved.status, moved.headers.location], [301, 'http://there.test/moved?a=b'])
  })

  await t.test('weights share the requests, and one of 0 gets none', async () => {
    const pods = new Set<string>()
    await waitFor(async () => pods.add(await podOf('/split')).size === 2, PATIENCE)
    for (let i = 0; i < 5; i++) assert.equal(await podOf('/zero'), 'two')
  })

  await t.test('hosts without a route get 404, backends that are not there 500', async () => {
    assert.equal((await to('/', { host: 'other.localhost' })).status, 404)
    assert.equal((await to('/none')).status, 500)
  })

  await t.test("classes, Gateways and routes have their conditions; what is another controller's has none", async () => {
    assert.deepEqual(summary((await statusOf('gatewayclasses', 'local'))?.conditions), ['Accepted=True Accepted'])
    assert.equal((await statusOf('gatewayclasses', 'foreign'))?.conditions, undefined)
    const edge = await waitFor(async () => {
      const status = await statusOf('gateways', 'edge')
      return status?.listeners?.[0]?.attachedRoutes === 1 && status
    }, PATIENCE)
    assert.deepEqual(summary(edge.conditions), ['Accepted=True Accepted', 'Programmed=True Programmed'])
    assert.equal(edge.conditions?.[1]?.message, `http://localhost:${port}/ on this machine`)
    assert.deepEqual(edge.addresses?.[0]?.value, '127.0.0.1')
    const shop = await statusOf('httproutes', 'shop')
    assert.deepEqual(
      shop?.parents?.map((one) => [one.controllerName, ...summary(one.conditions)]),
      [['bowsprit.dev/gateway', 'Accepted=True Accepted', 'ResolvedRefs=False BackendNotFound']],
    )
  })

  await t.test('a service that comes later is found; a Gateway that is deleted is closed', async () => {
    const made = service('missing', { app: 'two' })
    await client.create(namespaced(SERVICES), { ...made, spec: { ...made.spec, ports: [{ port: 80, targetPort: 8080 }] } })
    await waitFor(async () => (await to('/none')).status === 200, PATIENCE)
    await client.delete({ ...namespaced(ref('gateways')), name: 'edge' })
    await waitFor(
      async () =>
        to('/').then(
          () => false,
          () => true,
        ),
      PATIENCE,
    )
    await waitFor(async () => (await statusOf('httproutes', 'shop'))?.parents?.length === 0, PATIENCE)
  })
})
