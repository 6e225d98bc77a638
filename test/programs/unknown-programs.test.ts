/** Containers of unknown images: what serves their ports when others connect, and how scripts fail that need files of the image. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { messageOf } from '../../src/base/message-of.ts'
import { seededRandom } from '../../src/base/random.ts'
import { isReady } from '../../src/controllers/pods/pod-state.ts'
import { PODS, SECRETS, SERVICES, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../src/resources/refs.ts'
import type { ValidatingWebhook } from '../../src/resources/types/admissionregistration.ts'
import type { Secret } from '../../src/resources/types/core.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { testCertificate } from '../../src/testing/test-certificate.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { podsOf } from './pods.ts'

async function open() {
  const clock = new VirtualClock()
  const cluster = await startCluster({}, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const it = podsOf(client, clock)
  const start = async (name: string, container: object, more: object = {}) => {
    const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'corp/app:1', ...container }], ...more }
    await it.create(pod(name, { metadata: { name, labels: { app: name } }, spec }))
  }
  return { clock, client, ...it, start, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const ran = (script: string) => ({ image: 'curlimages/curl', command: ['sh', '-c', script] })

test('a declared port of a container accepts connections; another does not', async () => {
  await using it = await open()
  await it.client.create({ ...SERVICES, namespace: 'default' }, service('web', { app: 'web' }))
  await it.client.patch({ ...SERVICES, namespace: 'default', name: 'web' }, 'merge', {
    spec: { ports: [{ port: 443, targetPort: 'web' }] },
  })
  await it.start('web', { args: ['--serve'], ports: [{ name: 'web', containerPort: 8443 }] })
  const { status } = await it.until('web', isReady)
  const script = `
    curl -s http://web:443/x; curl -sk https://web:443/x; nc -z web 443; echo nc $?; nc -z ${status?.podIP} 80; echo nc $?
    curl -s -o /dev/null -w '%{http_code}\\n' http://web:443/apis/example.com/v1; curl -s -o /dev/null -w '%{http_code}\\n' -d x http://web:443/`
  await it.start('box', ran(script))
  await it.ended('box')
  const says = 'simulated: nothing runs in container main (corp/app:1) of pod default/web\n'
  assert.equal(await it.logs('box'), `${says}${says}nc 0\nnc 1\n404\n501\n`)
})

test('a simulated webhook without a program is called inside, never outside, and refuses with a helpful message', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 2 }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const it = podsOf(client, clock)
  await client.create(
    { ...SERVICES, namespace: 'default' },
    {
      ...service('hook', { app: 'hook' }),
      spec: { selector: { app: 'hook' }, ports: [{ port: 443, targetPort: 9443 }] },
    },
  )
  const main = { name: 'main', image: 'corp/hook:1', ports: [{ containerPort: 9443 }] }
  await it.create(pod('hook', { metadata: { name: 'hook', labels: { app: 'hook' } }, spec: { containers: [main] } }))
  await it.until('hook', isReady)
  const clientConfig = {
    service: { namespace: 'default', name: 'hook' },
    caBundle: Buffer.from(testCertificate().ca).toString('base64'),
  }
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }]
  const webhook = {
    name: 'a.example.com',
    rules,
    clientConfig,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
  }
  await client.create(
    { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingwebhookconfigurations' },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'a' },
      webhooks: [webhook],
    },
  )
  const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }
  const secrets = { ...SECRETS, namespace: 'default' }
  const refused = () => client.create(secrets, secret).then(() => '', messageOf)
  const found = await waitFor(async () => [await refused()].find((said) => said.includes('a.example.com')), { clock })
  assert.match(
    found ?? '',
    /failed calling webhook "a.example.com": failed to call webhook: Post "https:\/\/hook.default.svc:443\/\?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority/,
  )
})

test('pods of one node reach those of another on which no program has run', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 2 }, { clock, random: seededRandom(1) })
  const it = podsOf(cluster.client(), clock)
  const main = { name: 'main', image: 'corp/app:1', ports: [{ containerPort: 8080 }] }
  await it.create(pod('far', { spec: { nodeName: 'node-2', containers: [main] } }))
  const { status } = await it.until('far', isReady)
  const script = `nc -z ${status?.podIP} 8080; echo $?; nc -z ${status?.podIP} 8081; echo $?`
  const container = { name: 'main', ...ran(script) }
  await it.create(pod('near', { spec: { nodeName: 'node-1', restartPolicy: 'Never', containers: [container] } }))
  await it.ended('near')
  assert.equal(await it.logs('near'), '0\n1\n')
})

test('a script that wants larger parameters of the node finds them large enough', async () => {
  await using it = await open()
  await it.start('asks', ran('test "$(sysctl -n vm.max_map_count)" -ge 262144 && test "$(sysctl -n fs.file-max)" -ge 65536 && echo enough'))
  await it.ended('asks')
  assert.equal(await it.logs('asks'), 'enough\n')
})

test('the port opens only when the script says that the container is ready', async () => {
  await using it = await open()
  await it.create(
    pod('slow', {
      metadata: { annotations: { 'simulated.bowsprit.dev/ready-seconds': '10' } },
      spec: { containers: [{ name: 'main', image: 'corp/app:1', ports: [{ containerPort: 80 }] }] },
    }),
  )
  const { status } = await it.until('slow', (p) => p.status?.phase === 'Running')
  await it.start('box', ran(`nc -z ${status?.podIP} 80; echo $?; sleep 15; nc -z ${status?.podIP} 80; echo $?`))
  await it.ended('box')
  assert.equal(await it.logs('box'), '1\n0\n')
})

for (const [how, probe] of [
  ['HTTP', { httpGet: { port: 90, path: '/healthz' } }],
  ['HTTPS', { httpGet: { port: 90, scheme: 'HTTPS' } }],
  ['TCP', { tcpSocket: { port: 90 } }],
  ['gRPC', { grpc: { port: 90 } }],
] as const)
  test(`a script that ends in a program of its image has successful probes over ${how}`, async () => {
    await using it = await open()
    await it.start('server', {
      command: ['sh', '-c', 'exec /opt/server --listen'],
      readinessProbe: { ...probe, periodSeconds: 1 },
      livenessProbe: { ...probe, periodSeconds: 1 },
    })
    await it.until('server', isReady)
    await it.clock.advance(20_000)
    const server = await it.client.get({ ...PODS, namespace: 'default', name: 'server' })
    assert.deepEqual([server.status?.containerStatuses?.[0]?.restartCount, isReady(server)], [0, true])
  })

for (const host of [undefined, '127.0.0.1'])
  test(`a container on its node's network is reached at ${host ?? 'the address of the node'}`, async () => {
    await using it = await open()
    const probe = { httpGet: { port: 9100, path: '/', ...(host !== undefined && { host }) }, periodSeconds: 1, failureThreshold: 1 }
    await it.start('exporter', { ports: [{ containerPort: 9100 }], readinessProbe: probe, livenessProbe: probe }, { hostNetwork: true })
    await it.until('exporter', isReady)
    await it.clock.advance(20_000)
    assert.equal((await it.client.get({ ...PODS, namespace: 'default', name: 'exporter' })).status?.containerStatuses?.[0]?.restartCount, 0)
  })

const shared = { volumes: [{ name: 'shared', emptyDir: {} }] }
const volumeMounts = [{ name: 'shared', mountPath: '/shared' }]

test("a script that fails for lack of its image's files is treated as an unknown program", async () => {
  await using it = await open()
  const copies = { name: 'copy', image: 'corp/tool:1', command: ['/bin/cp', '-n', '/usr/local/bin/tool', '/shared/tool'], volumeMounts }
  await it.start('copied', { command: ['/shared/tool', 'serve'], volumeMounts }, { ...shared, initContainers: [copies] })
  const { status } = await it.until('copied', (p) => p.status?.phase === 'Running')
  assert.equal(status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 0)
  await it.start('sourced', { command: ['sh', '-c', '. /opt/lib.sh; serve'] })
  await it.until('sourced', (p) => p.status?.phase === 'Running')
})

test('a probe with an unknown program succeeds; one with known commands is evaluated', async () => {
  await using it = await open()
  const asks = (script: string) => ({ exec: { command: ['sh', '-c', script] }, periodSeconds: 1 })
  const command = ['sh', '-c', 'exec /opt/server']
  await it.start('asks', { command, readinessProbe: asks('[ "$(redis-cli ping)" = PONG ] || exit 1') })
  await it.until('asks', isReady)
  await it.start('looks', { command, readinessProbe: asks('[ -f /tmp/ready ] || exit 1') })
  await it.until('looks', (p) => p.status?.phase === 'Running')
  await it.clock.advance(10_000)
  const looks = { namespace: 'default', name: 'looks' }
  assert.ok(!isReady(await it.client.get({ ...PODS, ...looks })))
  assert.equal((await (await it.client.exec(looks, ['touch', '/tmp/ready'])).exit).exitCode, 0)
  await it.until('looks', isReady)
})

test('files that are known to be missing, in a base image and in mounts, cause failures', async () => {
  await using it = await open()
  const data = { volumes: [{ name: 'shared', configMap: { name: 'scripts' } }] }
  await it.client.create(
    { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'scripts' }, data: { 'a.sh': 'exit 0' } },
  )
  await it.start('base', { image: 'busybox', command: ['sh', '-c', 'cat /nope'] })
  await it.start('mounted', { command: ['sh', '-c', 'cat /shared/b.sh'], volumeMounts }, data)
  await it.start('script', { command: ['sh', '-c', '/shared/b.sh'], volumeMounts }, data)
  await it.start('looked', { command: ['sh', '-c', 'test -f /app/ready || exit 3'] })
  const codes = await Promise.all(
    ['base', 'mounted', 'script', 'looked'].map(
      async (name) => (await it.ended(name)).status?.containerStatuses?.[0]?.state?.terminated?.exitCode,
    ),
  )
  assert.deepEqual(codes, [1, 1, 127, 3])
})

test("a webhook's certificate is created by the image that charts use for it, once, and set in the API server", async () => {
  await using it = await open()
  const { client } = it
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
  const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }]
  await client.create(rbac, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'all' },
    roleRef,
    subjects,
  })
  const configurations = VALIDATING_WEBHOOK_CONFIGURATIONS
  const webhook: ValidatingWebhook = {
    name: 'a.example.com',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { namespace: 'default', name: 'web' } },
  }
  await client.create(configurations, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hook' },
    webhooks: [{ ...webhook, failurePolicy: 'Ignore' }],
  })
  const image =
    'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6.9@sha256:01038e7de14b78d702d2849c3aad72fd25903c4765af63cf16aa3398f5d5f2dd'
  const secret = { ...SECRETS, namespace: 'default', name: 'certs' }
  const step = async (name: string, args: readonly string[]) => {
    await it.start(name, { image, args })
    return (await it.ended(name)).status?.containerStatuses?.[0]?.state?.terminated?.exitCode
  }
  const create = ['create', '--host=web,web.default.svc', '--namespace=default', '--secret-name=certs']
  assert.equal(await step('create', create), 0)
  const made = await client.get(secret)
  assert.equal(await step('again', create), 0)
  assert.equal((await client.get(secret)).metadata.resourceVersion, made.metadata.resourceVersion)
  const patch = [
    'patch',
    '--webhook-name=hook',
    '--namespace=default',
    '--patch-mutating=false',
    '--secret-name=certs',
    '--patch-failure-policy=Fail',
  ]
  assert.equal(await step('patch', patch), 0)
  const [patched] = (await client.get({ ...configurations, name: 'hook' })).webhooks ?? []
  assert.equal(patched?.failurePolicy, 'Fail')
  assert.equal(patched?.clientConfig.caBundle, made.data?.ca)
  const pem = (key: string) => Buffer.from(made.data?.[key] ?? '', 'base64').toString()
  const [certificate, ca] = [new X509Certificate(pem('cert')), new X509Certificate(pem('ca'))]
  assert.ok(certificate.verify(ca.publicKey))
  assert.equal(certificate.checkHost('web.default.svc'), 'web.default.svc')
  assert.equal(await step('late', ['patch', '--webhook-name=hook', '--namespace=default', '--secret-name=none']), 1)
})
