/** Nodes, pods and services behind the API server's proxies, and kubelets on ports of their own. */
import assert from 'node:assert/strict'
import https from 'node:https'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { NODES, PODS } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { createWebhookServer } from '../../src/sdk/sdk.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { walkGuide } from '../walked-guide.ts'
import { ask } from './api-request.ts'

const pods = { ...PODS, namespace: 'default' }
const SERVICES = { group: '', version: 'v1', resource: 'services', namespace: 'default' } as const

async function running(client: Client, object: KubeObject) {
  await waitFor(() => client.create(pods, object))
  return waitFor(async () => {
    const found = await client.get({ ...pods, name: object.metadata.name ?? '' })
    return found.status?.conditions?.some((c: { type: string; status: string }) => c.type === 'Ready' && c.status === 'True') && found
  })
}

const WEB = async (container: { listen(port: number, handler: (request: Request) => Response | Promise<Response>): Promise<unknown> }) => {
  await container.listen(8080, async (request) => {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/page') return new Response('<a href="/x">x</a>', { headers: { 'content-type': 'text/html' } })
    if (pathname === '/moved') return new Response(null, { status: 302, headers: { location: '/there' } })
    const reported = ['authorization', 'x-forwarded-uri'].map((name) => `${name}=${request.headers.get(name)}`)
    return new Response(`${request.method} ${pathname}${search} ${await request.text()} ${reported.join(' ')}`)
  })
}

test('docs/kubelet-api.md works as shown', { timeout: 120_000 }, (t) => walkGuide('kubelet-api', t))

test('a pod and a service are reached through the API server, whatever their images are programmed to do', async () => {
  await using cluster = await startCluster({ images: { 'example/web': WEB } })
  const client = cluster.client()
  const containers = [{ name: 'main', image: 'example/web', ports: [{ containerPort: 8080 }] }]
  await running(client, pod('web', { metadata: { labels: { app: 'web' } }, spec: { containers } }))
  await client.create(
    SERVICES,
    service('web', {}, { spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] } }),
  )
  const base = '/api/v1/namespaces/default/pods/web/proxy'
  const put = await ask(cluster, `${base}/a%20b?c=d`, { method: 'PUT', body: 'hello' })
  assert.deepEqual([put.code, put.body], [200, `PUT /a%20b?c=d hello authorization=null x-forwarded-uri=${base}/a%20b`])
  assert.equal((await ask(cluster, `${base}/page`)).body, `<a href="${base}/x">x</a>`)
  const moved = await ask(cluster, `${base}/moved`)
  assert.deepEqual([moved.code, moved.headers.location], [302, `${base}/there`])
  const bare = await ask(cluster, base)
  assert.deepEqual([bare.code, bare.headers.location], [301, `${base}/`])
  const refused = await ask(cluster, '/api/v1/namespaces/default/pods/web:9999/proxy/')
  assert.match(refused.body, /error trying to reach service: dial tcp 10\.210\.0\.\d+:9999: connect: connection refused/)
  assert.equal(refused.code, 503)

  for (const name of ['web:http', 'web:80'])
    await waitFor(async () => (await ask(cluster, `/api/v1/namespaces/default/services/${name}/proxy/s`)).body.startsWith('GET /s'))
  const unnamed = await ask(cluster, '/api/v1/namespaces/default/services/web:81/proxy/')
  assert.match(unnamed.body, /no service port 81 found for service \\"web\\"/)
  await client.create(SERVICES, service('lone', {}, { spec: { ports: [{ port: 80 }] } }))
  await waitFor(async () =>
    /services \\"lone\\" not found/.test((await ask(cluster, '/api/v1/namespaces/default/services/lone/proxy/')).body),
  )
})

test('a kubelet with a port accepts a certificate or a token, and has the measurements of metrics.k8s.io', async () => {
  await using cluster = await startCluster({ kubeletPorts: true })
  const client = cluster.client()
  const annotations = { 'simulated.bowsprit.dev/cpu': '100m', 'simulated.bowsprit.dev/memory': '64Mi' }
  await running(client, pod('busy', { metadata: { annotations } }))
  const { status } = await client.get({ ...NODES, name: 'node-1' })
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port
  assert.equal(status?.addresses?.find((a) => a.type === 'InternalIP')?.address, '127.0.0.1')
  const proxied = await ask(cluster, '/api/v1/nodes/node-1/proxy/stats/summary')
  const { pods: measured } = JSON.parse(proxied.body) as {
    pods: { podRef: { name: string }; memory: { workingSetBytes: number }; cpu: { usageCoreNanoSeconds: number } }[]
  }
  assert.equal(measured[0]?.memory.workingSetBytes, 64 * 1024 * 1024)
  // Two measurements: a tenth of a core is used between them.
  const seconds = async () => {
    const { body } = await ask(cluster, '/api/v1/nodes/node-1/proxy/metrics/resource')
    const [, value = '', at = ''] = /^pod_cpu_usage_seconds_total\{.*pod="busy"\} (\S+) (\d+)$/m.exec(body) ?? []
    return { value: Number(value), atMs: Number(at) }
  }
  const first = await seconds()
  const second = await waitFor(async () => {
    const now = await seconds()
    return now.atMs - first.atMs > 500 && now
  })
  const cores = (second.value - first.value) / ((second.atMs - first.atMs) / 1000)
  assert.ok(Math.abs(cores - 0.1) < 0.02, String(cores))
  const stranger = await new Promise<number>((resolve, reject) => {
    https
      .get({ host: '127.0.0.1', port, path: '/pods', rejectUnauthorized: false, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      .on('error', reject)
  })
  assert.equal(stranger, 401)
})

test('many nodes open no port of their own, and each is reached all the same', async () => {
  await using cluster = await startCluster({ nodes: 30 })
  await cluster.listen()
  const listeners = () => process.getActiveResourcesInfo().filter((r) => r === 'TCPServerWrap').length
  const before = listeners()
  await waitFor(async () => (await cluster.client().list(NODES)).items.length === 30)
  for (const name of ['node-1', 'node-17', 'node-30'])
    await waitFor(async () => (await ask(cluster, `/api/v1/nodes/${name}/proxy/healthz`)).body === 'ok')
  assert.equal(listeners(), before)
})

test('webhooks review connect requests, and may refuse them', async () => {
  await using cluster = await startCluster({ nodes: 1 })
  const client = cluster.client()
  await running(client, pod('p'))
  const { serving, ca } = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
  const seen: unknown[] = []
  await using webhook = createWebhookServer({
    tls: { cert: serving.certificate, key: serving.key },
    mutate: ({ operation }) => void seen.push(operation),
    validate: ({ subResource, object, oldObject, options, name }) => {
      seen.push([name, subResource, object, oldObject, options])
      return 'nobody connects'
    },
  })
  const address = await webhook.listen(0)
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods/*', 'services/*', 'nodes/*'], operations: ['CONNECT'] }]
  for (const [sort, path] of [
    ['Mutating', 'mutate'],
    ['Validating', 'validate'],
  ] as const) {
    const clientConfig = { url: `${address}/${path}`, caBundle: Buffer.from(ca.certificate).toString('base64') }
    const hook = { name: 'hook.example.com', rules, clientConfig, admissionReviewVersions: ['v1'], sideEffects: 'None' }
    const resource = `${sort.toLowerCase()}webhookconfigurations`
    const group = 'admissionregistration.k8s.io'
    const object = { apiVersion: `${group}/v1`, kind: `${sort}WebhookConfiguration`, metadata: { name: 'hooks' }, webhooks: [hook] }
    await client.create({ group, version: 'v1', resource }, object)
  }
  const options = (kind: string, more: object = {}) => ({ kind, apiVersion: 'v1', ...more })
  const at = '/api/v1/namespaces/default/pods/p'
  const cases: [string, string, string, object][] = [
    [
      `${at}/attach?stdin=true&stdout=1&tty=0&container=main`,
      'p',
      'attach',
      options('PodAttachOptions', { stdin: true, stdout: true, container: 'main' }),
    ],
    [`${at}/exec?stdout&command=ls&command=-l`, 'p', 'exec', options('PodExecOptions', { stdout: true, command: ['ls', '-l'] })],
    [`${at}/portforward?ports=80,81`, 'p', 'portforward', options('PodPortForwardOptions', { ports: [80, 81] })],
    [`${at}:8080/proxy/a/b/?x=y`, 'p:8080', 'proxy', options('PodProxyOptions', { path: '/a/b/' })],
    [`${at}/proxy`, 'p', 'proxy', options('PodProxyOptions')],
    ['/api/v1/nodes/node-1/proxy/pods', 'node-1', 'proxy', options('NodeProxyOptions', { path: '/pods' })],
  ]
  for (const [path, name, subResource, object] of cases) {
    seen.length = 0
    const { code, body } = await ask(cluster, path)
    assert.equal(code, 403, `${path}: ${body}`)
    assert.match(body, /admission webhook .*hook.example.com.* denied the request: nobody connects/)
    assert.deepEqual(seen, ['CONNECT', [name, subResource, object, null, null]], path)
  }
  assert.match(
    (await ask(cluster, `${at}/portforward?ports=x`)).body,
    /cannot convert to \[\]int32: strconv.ParseUint: parsing .*x.*: invalid syntax/,
  )
})

test('any method is proxied to a pod, also over TLS', async () => {
  await using cluster = await startCluster({})
  const main = { name: 'main', image: 'registry.k8s.io/e2e-test-images/agnhost:2.63.0', args: ['porter', '--json-response'] }
  const env = [
    { name: 'SERVE_PORT_80', value: 'plain' },
    { name: 'SERVE_TLS_PORT_443', value: 'tls' },
  ]
  await running(cluster.client(), pod('ports', { spec: { containers: [{ ...main, env }] } }))
  const path = '/api/v1/namespaces/default/pods'
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const { code, body } = await ask(cluster, `${path}/ports/proxy/`, { method })
    assert.deepEqual([code, JSON.parse(body)], [200, { Method: method, Body: 'plain' }])
  }
  assert.equal((await ask(cluster, `${path}/ports/proxy/`, { method: 'HEAD' })).code, 200)
  assert.deepEqual(JSON.parse((await ask(cluster, `${path}/https:ports:443/proxy/`)).body), { Method: 'GET', Body: 'tls' })
})

test("links in a pod's page lead through the proxy", async () => {
  await using cluster = await startCluster({})
  const main = { name: 'main', image: 'registry.k8s.io/e2e-test-images/agnhost:2.63.0', args: ['porter'] }
  const env = [
    { name: 'SERVE_PORT_80', value: '<a href="/there">x</a>' },
    { name: 'SERVE_PORT_81', value: 'see <a href="/there">x</a>' },
  ]
  await running(cluster.client(), pod('ports', { spec: { containers: [{ ...main, env }] } }))
  const path = '/api/v1/namespaces/default/pods/ports'
  assert.equal((await ask(cluster, `${path}/proxy/`)).body, `<a href="${path}/proxy/there">x</a>`)
  assert.equal((await ask(cluster, `${path}:81/proxy/`)).body, 'see <a href="/there">x</a>')
})
