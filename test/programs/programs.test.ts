import assert from 'node:assert/strict'
import http2, { type ServerHttp2Stream } from 'node:http2'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { untilAborted } from '../../src/base/on-abort.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { ContainerProcess, ImagePrograms, Program } from '../../src/node/programs/program.ts'
import { LOG_LIMITS } from '../../src/node/runtime/container-log.ts'
import { CORE_EVENTS, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { logs, podsOf } from './pods.ts'

const SERVICES = { group: '', version: 'v1', resource: 'services', namespace: 'default' } as const
const pods = { ...PODS, namespace: 'default' }

async function open(images: ImagePrograms) {
  const clock = new VirtualClock()
  const cluster = await startCluster({ images }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  return { clock, cluster, client, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

async function run(client: Client, clock: VirtualClock, object: Pod) {
  const { create, ended } = podsOf(client, clock)
  await create(object)
  return ended(object.metadata.name ?? '')
}

const ended = (client: Client, clock: VirtualClock, name: string) => podsOf(client, clock).ended(name)
const once = (image: string, more: object = {}) => ({ spec: { restartPolicy: 'Never', containers: [{ name: 'main', image, ...more }] } })

test('an image runs a program, with its words, environment and exit code', async () => {
  const program: Program = (container) => {
    container.log(container.args.join(' '), container.environment.COLOR, container.facts.pod.name)
    return 7
  }
  await using it = await open({ 'example/job:*': program })
  const more = { args: ['a', '$(COLOR)'], env: [{ name: 'COLOR', value: 'red' }] }
  const done = await run(it.client, it.clock, pod('job', once('example/job:1', more)))
  assert.equal(done.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 7)
  assert.equal(await logs(it.client, 'job'), 'a red red job\n')
})

test('a program that throws ends with 1, and the error is in the log', async () => {
  await using it = await open({
    'example/bad': () => {
      throw new TypeError('no such thing')
    },
  })
  const done = await run(it.client, it.clock, pod('bad', once('example/bad:2')))
  const { exitCode, reason } = done.status?.containerStatuses?.[0]?.state?.terminated ?? {}
  assert.deepEqual([exitCode, reason], [1, 'Error'])
  assert.match(await logs(it.client, 'bad'), /^TypeError: no such thing\n {4}at /)
})

test('what `kubectl run` passes to a base image runs in the shell, each run with its arguments', async () => {
  await using it = await open({})
  const more = { args: ['sh', '-c', 'echo "$COLOR $(hostname)"; exit 3'], env: [{ name: 'COLOR', value: 'red' }] }
  const done = await run(it.client, it.clock, pod('words', once('busybox', more)))
  assert.equal(done.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3)
  assert.equal(await logs(it.client, 'words'), 'red words\n')
  await run(it.client, it.clock, pod('plain', once('alpine:3', { args: ['printenv', 'HOSTNAME'] })))
  assert.equal(await logs(it.client, 'plain'), 'plain\n')
})

test('a server behind a service is reached by its name', async () => {
  const server: Program = async (container) => {
    await container.listen(
      8080,
      (request) => new Response(`${request.method} ${new URL(request.url).pathname} by ${container.facts.hostname}\n`),
    )
  }
  const caller: Program = async (container) => {
    const response = await container.fetch('http://web/hello')
    container.log(response.status, (await response.text()).trim())
  }
  await using it = await open({ 'example/web': server, 'example/call': caller })
  const { client, clock } = it
  await client.create(SERVICES, service('web', {}, { spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] } }))
  await waitFor(() => client.create(pods, pod('web-1', { metadata: { labels: { app: 'web' } }, image: 'example/web' })), { clock })
  await waitFor(async () => (await client.get({ ...pods, name: 'web-1' })).status?.phase === 'Running', { clock })
  await clock.advance(2000)
  const done = await run(client, clock, pod('call', once('example/call')))
  assert.equal(await logs(client, 'call'), '200 GET /hello by web-1\n')
  assert.equal(done.status?.phase, 'Succeeded')
})

test('mounted content is read as files, changes within ninety seconds, and cannot be written', async () => {
  const program: Program = async (container) => {
    const { files, clock } = container
    const look = async () =>
      container.log(
        await files.readFile('/etc/config/color', 'utf8'),
        await files.readFile('/one', 'utf8'),
        await files.readlink('/etc/config/color'),
      )
    await look()
    await files.writeFile('/etc/config/color', 'x').catch((error: { code?: string }) => container.log(error.code))
    for await (const name of files.watch('/etc/config')) if (name === '..data') break
    container.log(clock.now() - Date.UTC(2026, 0, 1) < 100_000)
    await look()
    container.log((await files.readdir('/etc/config')).join(), await files.readFile('/info/labels', 'utf8'))
  }
  await using it = await open({ 'example/reader': program })
  const { client, clock } = it
  const maps = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
  await client.create(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'paint' }, data: { color: 'red' } })
  const mounts = [
    { name: 'paint', mountPath: '/etc/config' },
    { name: 'paint', mountPath: '/one', subPath: 'color' },
    { name: 'info', mountPath: '/info' },
  ]
  const volumes = [
    { name: 'paint', configMap: { name: 'paint' } },
    { name: 'info', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  ]
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/reader', volumeMounts: mounts }], volumes }
  await waitFor(() => client.create(pods, pod('reader', { metadata: { labels: { a: 'b' } }, spec })), { clock })
  await waitFor(async () => (await logs(client, 'reader')).includes('EROFS'), { clock })
  await client.patch({ ...maps, name: 'paint' }, 'merge', { data: { color: 'blue', shade: 'dark' } })
  await clock.advance(90_000)
  await ended(client, clock, 'reader')
  const data = '..data/color'
  const folder = /\.\.2026_01_01_\d\d_\d\d_\d\d\.\d{9}/.exec(await logs(client, 'reader'))?.[0]
  assert.equal(await logs(client, 'reader'), `red red ${data}\nEROFS\ntrue\nblue red ${data}\n${folder},..data,color,shade a="b"\n`)
})

test('a token in a volume is the pod’s, for its audience, and is renewed', async () => {
  const program: Program = async (container) => {
    const claims = async () => {
      const token = await container.files.readFile('/var/run/secrets/tokens/vault', 'utf8')
      return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    }
    const first = await claims()
    container.log(first.aud, first.exp - first.iat, first['kubernetes.io'].pod.name)
    await container.clock.sleep(580_000)
    container.log((await claims()).iat - first.iat >= 480)
    container.log(
      (await container.files.readdir('/var/run/secrets/kubernetes.io/serviceaccount')).filter((name) => !name.startsWith('..')).join(),
    )
  }
  await using it = await open({ 'example/token': program })
  const { client, clock } = it
  const sources = [{ serviceAccountToken: { path: 'vault', audience: 'vault', expirationSeconds: 600 } }]
  const container = { name: 'main', image: 'example/token', volumeMounts: [{ name: 'vault', mountPath: '/var/run/secrets/tokens' }] }
  const spec = { restartPolicy: 'Never', containers: [container], volumes: [{ name: 'vault', projected: { sources } }] }
  await waitFor(() => client.create(pods, pod('token', { spec })), { clock })
  await clock.advance(600_000)
  await ended(client, clock, 'token')
  assert.equal(await logs(client, 'token'), "[ 'vault' ] 600 token\ntrue\nca.crt,namespace,token\n")
})

test('a program that handles SIGTERM has the grace period, another ends at once, and one that never ends is killed', async () => {
  const said: string[] = []
  const held: ContainerProcess[] = []
  let ticks = 0
  const images: ImagePrograms = {
    'example/polite': async (container) => {
      await untilAborted(container.signal)
      await container.clock.sleep(5000)
      container.log('bye')
      return 3
    },
    'example/plain': async (container) => {
      await container.clock.sleep(1e9)
    },
    'example/stubborn': async (container) => {
      container.onSignal('SIGUSR1', () => {})
      container.onSignal('SIGTERM', () => said.push('asked'))
      held.push(container)
      for (;;) {
        await container.clock.sleep(1000).catch(() => said.push('woken'))
        ticks++
      }
    },
  }
  await using it = await open(images)
  const { client, clock } = it
  const codes: Record<string, unknown> = {}
  for (const name of ['polite', 'plain', 'stubborn']) {
    await waitFor(() => client.create(pods, pod(name, { metadata: { finalizers: ['example.com/look'] }, image: `example/${name}` })), {
      clock,
    })
    await waitFor(async () => (await client.get({ ...pods, name })).status?.phase === 'Running', { clock })
    const beforeMs = clock.now()
    await client.delete({ ...pods, name })
    const done = await ended(client, clock, name)
    const spentMs = clock.now() - beforeMs
    codes[name] = [
      done.status?.containerStatuses?.[0]?.state?.terminated?.exitCode,
      spentMs < 4000 ? 'soon' : spentMs < 20_000 ? 'later' : 'killed',
    ]
  }
  assert.deepEqual(codes, { polite: [3, 'later'], plain: [143, 'soon'], stubborn: [137, 'killed'] })
  // It does not continue, and its facilities do not work any more.
  const before = ticks
  for (const { files, fetch, listen } of held)
    for (const use of [files.readFile('/etc/hosts'), fetch('http://web'), listen(80, () => new Response())])
      use.finally(() => said.push('went on'))
  await clock.advance(60_000)
  assert.deepEqual([said, ticks - before, held.length], [['asked'], 0, 1])
})

test('a program that prints without end is slowed down, its log is bounded, and time goes on', async () => {
  await using it = await open({
    'example/noisy': async (container) => {
      for (;;) await container.stdout.write(`${'x'.repeat(1000)}\n`)
    },
  })
  const { client, clock } = it
  await waitFor(() => client.create(pods, pod('noisy', { image: 'example/noisy' })), { clock })
  await waitFor(async () => (await client.get({ ...pods, name: 'noisy' })).status?.phase === 'Running', { clock })
  await clock.advance(5)
  const soon = (await logs(client, 'noisy')).length
  assert.ok(soon > 500_000 && soon < LOG_LIMITS.maxBytes, String(soon))
  await clock.advance(15)
  const held = (await logs(client, 'noisy')).length
  assert.ok(held > 0 && held <= LOG_LIMITS.maxBytes + 1001, String(held))
})

test('what a timer or a handler throws is a crash of its container and of nothing else', async () => {
  await using it = await open({
    'example/timer': async (container) => {
      container.clock.after(10, () => {
        throw new Error('late fault')
      })
      await container.clock.sleep(1e9)
    },
  })
  const done = await run(it.client, it.clock, pod('timer', once('example/timer')))
  assert.equal(done.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 1)
  assert.match(await logs(it.client, 'timer'), /^Error: late fault\n/)
})

async function command(client: Client, clock: VirtualClock, name: string, words: readonly string[]) {
  const running = client.exec({ namespace: 'default', name }, words)
  await clock.advance(100)
  const process = await running
  const read = async (source: AsyncIterable<Uint8Array>) => {
    let text = ''
    for await (const chunk of source) text += Buffer.from(chunk).toString()
    return text
  }
  const reading = Promise.all([read(process.stdout), read(process.stderr), process.exit])
  reading.catch(() => {})
  await clock.advance(1000)
  const [stdout, stderr, { exitCode }] = await reading
  return { stdout, stderr, exitCode }
}

test("exec runs the container's program, any other, and reports an unknown one", async () => {
  const image = {
    run: (async (container) => {
      await container.files.writeFile('/tmp/state', 'from the main process')
      await container.clock.sleep(1e9)
    }) satisfies Program,
    commands: {
      '/usr/bin/state': (async (container) => {
        await container.stdout.write(await container.files.readFile('/tmp/state'))
        await container.stderr.write(`${container.args.join()}\n`)
        return 4
      }) satisfies Program,
    },
  }
  await using it = await open({ 'example/tool': image, 'example/any': { run: image.run, exec: (c) => c.log(c.argv.join(' ')) } })
  const { client, clock } = it
  for (const name of ['tool', 'any']) {
    await waitFor(() => client.create(pods, pod(name, { image: `example/${name}` })), { clock })
    await waitFor(async () => (await client.get({ ...pods, name })).status?.phase === 'Running', { clock })
  }
  assert.deepEqual(await command(client, clock, 'tool', ['state', 'a', 'b']), {
    stdout: 'from the main process',
    stderr: 'a,b\n',
    exitCode: 4,
  })
  assert.deepEqual(await command(client, clock, 'any', ['whatever', 'x']), { stdout: 'whatever x\n', stderr: '', exitCode: 0 })
  await assert.rejects(command(client, clock, 'tool', ['nothing']), /exec: "nothing": executable file not found in \$PATH/)
})

test('the API server is reached at its service, with the token and the authority of the pod', async () => {
  const program: Program = async (container) => {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = container.environment
    const folder = '/var/run/secrets/kubernetes.io/serviceaccount'
    const headers = { authorization: `Bearer ${await container.files.readFile(`${folder}/token`, 'utf8')}` }
    for (const origin of ['https://kubernetes.default.svc', `https://${host}:${port}`]) {
      const response = await container.fetch(`${origin}/api/v1/namespaces/default/pods`, { headers, caFile: `${folder}/ca.crt` })
      container.log(response.status, ((await response.json()) as { message: string }).message)
    }
    await container.fetch('https://kubernetes.default.svc/version').catch((e: Error) => container.log((e.cause as { code: string }).code))
  }
  await using it = await open({ 'example/client': program })
  const done = await run(it.client, it.clock, pod('client', once('example/client')))
  const forbidden =
    '403 pods is forbidden: User "system:serviceaccount:default:default" cannot list resource "pods" in API group "" in the namespace "default"\n'
  assert.equal(await logs(it.client, 'client'), `${forbidden}${forbidden}SELF_SIGNED_CERT_IN_CHAIN\n`)
  assert.equal(done.status?.phase, 'Succeeded')
})

test('policies, names and routes are those of the cluster', async () => {
  const server: Program = async (container) => {
    await container.listen(8080, () => new Response(container.facts.pod.name))
  }
  const caller: Program = async (container) => {
    const say = async (what: Promise<unknown>) =>
      container.log(JSON.stringify(await what.catch((e: Error) => (e.cause as Error | undefined)?.message ?? e.message)))
    const get = async (url: string) => (await container.fetch(url)).text()
    await say(get('http://web-0.webs:8080'))
    await say(get('http://web-0.webs.default.svc.cluster.local:8080'))
    await say(container.lookup('webs').then((ips) => ips.length))
    await say(container.lookupService('_http._tcp.webs').then((records) => records.map((r) => `${r.target}:${r.port}`)))
    await say(get('http://alias:8080').then((text) => text.startsWith('web-')))
    await say(container.lookup('nobody'))
    await say(get('http://webs:81'))
    await say(get('http://192.0.2.1'))
    const { ips } = container.facts
    await container.listen(9000, () => new Response('me'), { host: '127.0.0.1' })
    await say(get('http://localhost:9000'))
    await say(get(`http://${ips[0]}:9000`))
    const late = AbortSignal.any([])
    await say(Promise.race([get('http://web-0.webs:8080'), container.clock.sleep(10_000, late).then(() => 'hangs')]))
    return 0
  }
  await using it = await open({ 'example/web': server, 'example/call': caller })
  const { client, clock } = it
  const ports = [{ name: 'http', port: 8080 }]
  await client.create(SERVICES, service('webs', {}, { spec: { clusterIP: 'None', selector: { app: 'web' }, ports } }))
  await client.create(SERVICES, service('alias', {}, { spec: { type: 'ExternalName', externalName: 'webs.default.svc.cluster.local' } }))
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'example/web' }] } }
  await client.create(
    { group: 'apps', version: 'v1', resource: 'statefulsets', namespace: 'default' },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'web' },
      spec: { serviceName: 'webs', replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
    },
  )
  await waitFor(async () => (await client.get({ ...pods, name: 'web-1' })).status?.phase === 'Running', { clock })
  await clock.advance(2000)
  await waitFor(() => client.create(pods, pod('call', once('example/call'))), { clock })
  await waitFor(async () => (await logs(client, 'call')).includes('"me"'), { clock })
  const policies = { group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies', namespace: 'default' }
  await client.create(policies, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'closed' },
    spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
  })
  await clock.advance(60_000)
  await ended(client, clock, 'call')
  const lines = (await logs(client, 'call')).trim().split('\n')
  const ip = lines[9]?.match(/[\d.]+:9000/)?.[0]
  assert.deepEqual(lines, [
    '"web-0"',
    '"web-0"',
    '2',
    '["web-0.webs.default.svc.cluster.local:8080","web-1.webs.default.svc.cluster.local:8080"]',
    'true',
    '"getaddrinfo ENOTFOUND nobody"',
    lines[6] ?? '',
    '"connect ENETUNREACH 192.0.2.1:80"',
    '"me"',
    `"connect ECONNREFUSED ${ip}"`,
    lines[10] ?? '',
  ])
  assert.match(lines[6] ?? '', /^"connect ECONNREFUSED [\d.]+:81"$/)
})

test('probes meet the program: HTTP, TCP and gRPC', async () => {
  let healthy = true
  let grpcStatus = '0'
  const program: Program = async (container) => {
    await container.clock.sleep(20_000)
    await container.listen(8080, (request) => new Response('', { status: healthy && request.headers.get('x-probe') === 'yes' ? 200 : 500 }))
    // Field 1 of the response: SERVING.
    const server = http2.createServer()
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': grpcStatus, 'grpc-message': 'no%20such service' }))
      stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]))
    })
    await container.listen(9090, { connection: (socket) => void server.emit('connection', socket) })
  }
  await using it = await open({ 'example/probed': program })
  const { client, clock } = it
  const readiness = { httpGet: { port: 8080, path: '/ready', httpHeaders: [{ name: 'X-Probe', value: 'yes' }] }, periodSeconds: 1 }
  const container = (name: string, more: object) => ({ name, image: 'example/probed', ...more })
  const specs = {
    http: container('main', { readinessProbe: readiness }),
    tcp: container('main', { readinessProbe: { tcpSocket: { port: 9090 }, periodSeconds: 1 } }),
    grpc: container('main', { readinessProbe: { grpc: { port: 9090 }, periodSeconds: 1 } }),
  }
  for (const [name, of] of Object.entries(specs))
    await waitFor(() => client.create(pods, pod(name, { spec: { containers: [of] } })), { clock })
  const ready = async (name: string) => (await client.get({ ...pods, name })).status?.containerStatuses?.[0]?.ready
  await clock.advance(15_000)
  assert.deepEqual(await Promise.all(Object.keys(specs).map(ready)), [false, false, false])
  await clock.advance(10_000)
  assert.deepEqual(await Promise.all(Object.keys(specs).map(ready)), [true, true, true])
  healthy = false
  await clock.advance(5000)
  assert.deepEqual(await Promise.all(Object.keys(specs).map(ready)), [false, true, true])
  const { items } = await client.list({ ...CORE_EVENTS, namespace: 'default' })
  const reported = items.filter((e) => e.reason === 'Unhealthy').map((e) => String(e.message).replace(/10\.[\d.]+:/g, 'POD:'))
  assert.ok(
    reported.includes('Readiness probe failed: Get "http://POD:8080/ready": dial tcp POD:8080: connect: connection refused'),
    reported.join('\n'),
  )
  assert.ok(reported.includes('Readiness probe failed: HTTP probe failed with statuscode: 500'))
  const lost = 'Readiness probe failed: timeout: failed to connect service "POD:9090" within 1s: context deadline exceeded'
  assert.ok(reported.includes(lost), reported.join('\n'))
  grpcStatus = '5'
  await clock.advance(5000)
  assert.equal(await ready('grpc'), false)
  const later = (await client.list({ ...CORE_EVENTS, namespace: 'default' })).items.map((e) => e.message)
  assert.ok(later.includes('Readiness probe failed: error: health rpc probe failed: rpc error: code = NotFound desc = no such service'))
})

test('port-forward, attach and the proxies of pods and services reach a program', async () => {
  const program: Program = async (container) => {
    await container.listen(8080, async (request) => new Response(`${new URL(request.url).pathname} ${await request.text()}`))
    for await (const chunk of container.stdin) container.log(Buffer.from(chunk).toString().trim().toUpperCase())
    return 0
  }
  const asker: Program = async (container) => {
    const folder = '/var/run/secrets/kubernetes.io/serviceaccount'
    const headers = { authorization: `Bearer ${await container.files.readFile(`${folder}/token`, 'utf8')}` }
    for (const path of ['pods/talk:8080', 'services/talk:80', 'services/talk:81']) {
      const url = `https://kubernetes.default.svc/api/v1/namespaces/default/${path}/proxy/asked`
      const response = await container.fetch(url, { headers, caFile: `${folder}/ca.crt` })
      container.log(response.status, (await response.text()).slice(0, 7).trim())
    }
  }
  await using it = await open({ 'example/talk': program, 'example/ask': asker })
  const { client, clock } = it
  await client.create(
    { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'ask' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }],
    },
  )
  await client.create(SERVICES, service('talk', {}, { spec: { selector: { app: 'talk' }, ports: [{ port: 80, targetPort: 8080 }] } }))
  const spec = { containers: [{ name: 'main', image: 'example/talk', stdin: true, stdinOnce: true }], restartPolicy: 'Never' }
  await waitFor(() => client.create(pods, pod('talk', { metadata: { labels: { app: 'talk' } }, spec })), { clock })
  await waitFor(async () => (await client.get({ ...pods, name: 'talk' })).status?.phase === 'Running', { clock })
  await clock.advance(2000)
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => {})
    await clock.advance(1000)
    return promise
  }
  await using ports = await settled(client.portForward({ namespace: 'default', name: 'talk' }))
  const connection = await settled(ports.open(8080))
  await connection.sink.write(Buffer.from('POST /forward HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi'))
  await clock.advance(1000)
  let answer = ''
  for await (const chunk of connection.source) answer += Buffer.from(chunk).toString()
  assert.match(answer, /^HTTP\/1.1 200 OK\r\n[\s\S]*\/forward hi/)
  await run(client, clock, pod('ask', once('example/ask')))
  assert.equal(await logs(client, 'ask'), '200 /asked\n200 /asked\n503 {"kind"\n')
  const attached = await settled(client.attach({ namespace: 'default', name: 'talk' }, { stdin: true }))
  await attached.stdin.write(Buffer.from('hello\n'))
  await attached.stdin.end()
  await settled(attached.exit)
  await ended(client, clock, 'talk')
  assert.equal(await logs(client, 'talk'), 'HELLO\n')
})
