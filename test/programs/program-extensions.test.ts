/**
 * Extensions that run as pods behind services: a webhook, an aggregated server, a device plugin and an operator, all in this process and in
 * virtual time.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { createAggregatedApi } from '../../src/aggregated-api/aggregated-api.ts'
import { type Clock, systemClock, VirtualClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { untilAborted } from '../../src/base/on-abort.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { ClusterOptions } from '../../src/cluster/cluster-options.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import type { Program } from '../../src/node/programs/program.ts'
import * as refs from '../../src/resources/refs.ts'
import { CONFIG_MAPS, PODS } from '../../src/resources/refs.ts'
import type { ConfigMap, Secret } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { serveDevicePlugin } from '../../src/sdk/device-plugin/serve-device-plugin.ts'
import { createInformer } from '../../src/sdk/informer/create-informer.ts'
import type { AdmissionCall } from '../../src/sdk/webhook/answer-review.ts'
import { webhookHandler } from '../../src/sdk/webhook/webhook-handler.ts'
import { configMap, deployment, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { testCertificate } from '../../src/testing/test-certificate.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { logs } from './pods.ts'

const at = (group: string, version: string, resource: string) => ({ group, version, resource, namespace: 'default' })
const whole = (group: string, resource: string) => ({ group, version: 'v1', resource })
const SERVICES = at('', 'v1', 'services')
const SECRETS = at('', 'v1', 'secrets')
const DEPLOYMENTS = { ...refs.DEPLOYMENTS, namespace: 'default' }
const configMaps = { ...CONFIG_MAPS, namespace: 'default' }
const pods = { ...PODS, namespace: 'default' }

async function open<C extends Clock>(options: ClusterOptions, clock: C) {
  const cluster = await startCluster(options, { clock, random: seededRandom(1) })
  return { clock, client: cluster.client(), cluster, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

/** A deployment whose pods mount the secret with the certificate of their service, and the service. */
async function serve(
  client: Client,
  name: string,
  { image, port, ...more }: { readonly image: string; readonly port: number; readonly args?: readonly string[] },
): Promise<string> {
  const { cert, key, ca } = testCertificate([`${name}.default.svc`])
  await client.create(SECRETS, secretOf(`${name}-tls`, cert, key))
  const container = {
    name: 'main',
    image,
    ports: [{ containerPort: port }],
    volumeMounts: [{ name: 'tls', mountPath: '/certs', readOnly: true }],
    readinessProbe: { tcpSocket: { port } },
    ...more,
  }
  const spec = { containers: [container], volumes: [{ name: 'tls', secret: { secretName: `${name}-tls` } }] }
  const labels = { app: name }
  const whole = { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } }
  await client.create(DEPLOYMENTS, deployment(name, { spec: whole }))
  const ports = [{ port: 443, targetPort: port }]
  await client.create(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: labels, ports } })
  return ca
}

const secretOf = (name: string, cert: string, key: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  type: 'kubernetes.io/tls',
  stringData: { 'tls.crt': cert, 'tls.key': key },
})

const TLS = { certFile: '/certs/tls.crt', keyFile: '/certs/tls.key' }

const available = (client: Client, name: string, clock: Clock) =>
  waitFor(async () => (await client.get({ ...DEPLOYMENTS, name })).status?.availableReplicas === 1, {
    clock,
    what: `deployment ${name}`,
  })

test('a webhook runs as a pod behind its service', async () => {
  const webhook: Program = async (container) => {
    const handler = webhookHandler({
      validate: ({ object }: AdmissionCall<ConfigMap>) => (object?.data?.color === 'grey' ? 'grey is no color' : undefined),
    })
    await container.listen(8443, handler, { tls: TLS })
  }
  await using it = await open({ images: { 'example/webhook:*': webhook } }, new VirtualClock())
  const { client, clock } = it
  const ca = await serve(client, 'colors', { image: 'example/webhook:1', port: 8443 })
  await available(client, 'colors', clock)
  await client.create(whole('admissionregistration.k8s.io', 'validatingwebhookconfigurations'), {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'colors' },
    webhooks: [
      {
        name: 'colors.example.com',
        clientConfig: {
          service: { namespace: 'default', name: 'colors', path: '/validate' },
          caBundle: Buffer.from(ca).toString('base64'),
        },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        objectSelector: { matchLabels: { checked: 'yes' } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
      },
    ],
  })
  const metadata = { labels: { checked: 'yes' } }
  await client.create(configMaps, configMap('red', { color: 'red' }, { metadata }))
  await assert.rejects(
    client.create(configMaps, configMap('grey', { color: 'grey' }, { metadata })),
    /admission webhook "colors.example.com" denied the request: grey is no color/,
  )
  // Without its pod the webhook cannot be called, and the error says so.
  await client.patch({ ...DEPLOYMENTS, name: 'colors' }, 'merge', { spec: { replicas: 0 } })
  await waitFor(async () => (await client.list(pods)).items.length === 0, { clock })
  await clock.advance(1000)
  await assert.rejects(
    client.create(configMaps, configMap('blue', { color: 'blue' }, { metadata })),
    /failed calling webhook "colors.example.com": failed to call webhook: Post "https:\/\/colors.default.svc:443\/validate\?timeout=10s": no endpoints available for service "colors"/,
  )
})

test('an aggregated server runs as a pod behind its service', async () => {
  const server: Program = async (container) => {
    const api = await createAggregatedApi({
      group: 'fruit.example.com',
      kinds: [{ kind: 'Pear', plural: 'pears', scope: 'Namespaced', versions: [{ name: 'v1' }] }],
    })
    // Only the API server's front proxy may name users.
    const trust = await container.client.get({ ...CONFIG_MAPS, namespace: 'kube-system', name: 'extension-apiserver-authentication' })
    const join = (socket: Duplex) => {
      const near = api.connect() as Duplex
      socket.pipe(near).pipe(socket)
    }
    await container.listen(8443, { connection: join }, { tls: { ...TLS, clientCa: trust.data?.['requestheader-client-ca-file'] ?? '' } })
  }
  await using it = await open({ images: { 'example/fruit': server } }, new VirtualClock())
  const { client, clock } = it
  await client.create(whole('rbac.authorization.k8s.io', 'clusterrolebindings'), {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'fruit' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }],
  })
  const ca = await serve(client, 'fruit', { image: 'example/fruit', port: 8443 })
  await available(client, 'fruit', clock)
  const apiServices = refs.API_SERVICES
  await client.create(apiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.fruit.example.com' },
    spec: {
      group: 'fruit.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: 'default', name: 'fruit' },
      caBundle: Buffer.from(ca).toString('base64'),
    },
  })
  await waitFor(
    async () => {
      const { status } = await client.get({ ...apiServices, name: 'v1.fruit.example.com' })
      return status?.conditions?.some((c) => c.status === 'True')
    },
    { clock, what: 'the APIService' },
  )
  const pears = at('fruit.example.com', 'v1', 'pears')
  await waitFor(() => client.create(pears, { apiVersion: 'fruit.example.com/v1', kind: 'Pear', metadata: { name: 'conference' } }), {
    clock,
  })
  assert.deepEqual(
    (await client.list(pears)).items.map((o) => o.metadata.name),
    ['conference'],
  )
})

test("Kubernetes' sample API server runs from its image, and trusts only the front proxy and tokens", async () => {
  await using it = await open({ images: {} }, new VirtualClock())
  const { client, clock } = it
  const args = ['--tls-cert-file=/certs/tls.crt', '--tls-private-key-file=/certs/tls.key', '--etcd-servers=http://127.0.0.1:2379']
  const ca = await serve(client, 'wardle', { image: 'registry.k8s.io/e2e-test-images/sample-apiserver:1.29.2', port: 443, args })
  await clock.advance(5000)
  const bound = (resource: string, roleRef: { kind: string; name: string }, namespace?: string) =>
    client.create(
      { ...whole('rbac.authorization.k8s.io', resource), ...(namespace && { namespace }) },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
        metadata: { name: 'wardle' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
        subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }],
      },
    )
  await bound('clusterrolebindings', { kind: 'ClusterRole', name: 'system:auth-delegator' })
  // Without this right its caches stay empty, and it waits.
  assert.notEqual((await client.get({ ...DEPLOYMENTS, name: 'wardle' })).status?.availableReplicas, 1)
  await bound('rolebindings', { kind: 'Role', name: 'extension-apiserver-authentication-reader' }, 'kube-system')
  await available(client, 'wardle', clock)
  const apiServices = refs.API_SERVICES
  const spec = { group: 'wardle.example.com', version: 'v1alpha1', groupPriorityMinimum: 2000, versionPriority: 200 }
  await client.create(apiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1alpha1.wardle.example.com' },
    spec: { ...spec, service: { namespace: 'default', name: 'wardle' }, caBundle: Buffer.from(ca).toString('base64') },
  })
  const flunders = at('wardle.example.com', 'v1alpha1', 'flunders')
  const flunder = (name: string, more: object = {}): KubeObject => ({
    apiVersion: 'wardle.example.com/v1alpha1',
    kind: 'Flunder',
    metadata: { name },
    ...more,
  })
  const made = await waitFor(() => client.create(flunders, flunder('a', { spec: { reference: 'b' } })), { clock })
  assert.deepEqual(made.spec, { reference: 'b', referenceType: 'Flunder' })
  await assert.rejects(client.create(flunders, flunder('c', { spec: { referenceType: 'Whale' } })), /spec.referenceType: Unsupported value/)
  assert.deepEqual(
    (await client.list(flunders)).items.map((o) => o.metadata.name),
    ['a'],
  )
  await client.delete({ ...flunders, name: 'a' })
  assert.deepEqual((await client.list(flunders)).items, [])

  const path = 'https://wardle/apis/wardle.example.com/v1alpha1/namespaces/default/flunders'
  const token = '$(cat /var/run/secrets/kubernetes.io/serviceaccount/token)'
  const script = [
    `curl -sk -o /dev/null -w '%{http_code} ' -H 'X-Remote-User: admin' -H 'X-Remote-Group: system:masters' ${path}`,
    `curl -sk -o /dev/null -w '%{http_code} ' -H "Authorization: Bearer ${token}" ${path}`,
    `curl -sk https://wardle/readyz`,
  ].join('; ')
  const container = { name: 'main', image: 'registry.k8s.io/e2e-test-images/agnhost:2.63.0', command: ['sh', '-c', script] }
  await client.create(pods, pod('asking', { spec: { restartPolicy: 'Never', containers: [container] } }))
  const ended = async () => (await client.get({ ...pods, name: 'asking' })).status?.phase === 'Succeeded'
  await waitFor(ended, { clock })
  assert.equal(await logs(client, 'asking'), '403 403 ok')
})

test('an operator runs as a pod, with the rights of its service account', async () => {
  const operator: Program = async (container) => {
    const { client, clock, random, signal } = container
    const informer = createInformer({ client, clock, random, log: silentLogger, target: configMaps })
    informer.addHandler({
      added: (object) => {
        if (object.metadata.labels?.copy !== 'yes') return
        const copy = configMap(`${object.metadata.name}-copy`, object.data ?? {})
        client.create(configMaps, copy).catch((error: Error) => container.log(error.message))
      },
    })
    await informer.run(signal)
    container.log('stopped')
    return 0
  }
  await using it = await open({ images: { 'example/operator': operator } }, new VirtualClock())
  const { client, clock } = it
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
  const roles = at('rbac.authorization.k8s.io', 'v1', 'roles')
  await client.create(roles, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'copier' }, rules })
  await client.create(at('rbac.authorization.k8s.io', 'v1', 'rolebindings'), {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'copier' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'copier' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }],
  })
  await waitFor(() => client.create(pods, pod('operator', { image: 'example/operator' })), { clock })
  await client.create(configMaps, configMap('a', { x: '1' }, { metadata: { labels: { copy: 'yes' } } }))
  const logs = async () => {
    let text = ''
    for await (const chunk of await client.logs({ namespace: 'default', name: 'operator' })) text += Buffer.from(chunk).toString()
    return text
  }
  const refused = /configmaps is forbidden: User "system:serviceaccount:default:default" cannot create resource "configmaps"/
  await waitFor(async () => refused.test(await logs()), { clock, what: 'the refusal' })
  await client.update(
    { ...roles, name: 'copier' },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'copier' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }],
    },
  )
  await client.create(configMaps, configMap('b', { x: '2' }, { metadata: { labels: { copy: 'yes' } } }))
  const copy = await waitFor(() => client.get({ ...configMaps, name: 'b-copy' }), { clock })
  assert.deepEqual(copy.data, { x: '2' })
  const startedMs = clock.now()
  await client.delete({ ...pods, name: 'operator' })
  await waitFor(async () => (await client.list(pods)).items.length === 0, { clock })
  assert.ok(clock.now() - startedMs < 5000, 'it ended when it was asked to')
})

test('a device plugin runs as a pod of a daemon set', async (t) => {
  const plugin: Program = async (container) => {
    await using served = await serveDevicePlugin(
      { resource: 'example.com/dongle', discover: () => [{ id: 'd-0' }, { id: 'd-1' }] },
      { folder: container.realFolder('/plugins') },
    )
    await served.registered
    container.log('registered')
    await untilAborted(container.signal)
    return 0
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-plugin-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  await using it = await open({ images: { 'example/plugin': plugin }, devicePluginDir: folder }, systemClock)
  const { client } = it
  const labels = { app: 'plugin' }
  await client.create(at('apps', 'v1', 'daemonsets'), {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'plugin' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'main', image: 'example/plugin', volumeMounts: [{ name: 'plugins', mountPath: '/plugins' }] }],
          volumes: [{ name: 'plugins', hostPath: { path: '/var/lib/kubelet/device-plugins' } }],
        },
      },
    },
  })
  const node = { ...refs.NODES, name: 'node-1' }
  await waitFor(async () => (await client.get(node)).status?.allocatable?.['example.com/dongle'] === '2', { what: 'the devices' })
})
