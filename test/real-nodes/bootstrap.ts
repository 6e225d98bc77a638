/** The tests of `bootstrap.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { CERTIFICATE_SIGNING_REQUESTS, CLUSTER_ROLE_BINDINGS, NODES, SECRETS } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { findRuntime } from './found-runtime.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { spawnNode, WITHOUT_NETWORK } from './node-process.ts'
import { createPod, isReady, LASTS, logOf, reached, removed } from './real-pods.ts'
import { writeKubeletConfig } from './start-agent.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)

const TOKEN = { id: 'abcdef', secret: '0123456789abcdef' }
const BOOTSTRAPPERS = 'system:bootstrappers:kubeadm:default-node-token'

/** What `kubeadm init` makes for machines that join. */
async function allowJoining(client: Client): Promise<void> {
  const text = (data: Record<string, string>) =>
    Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
  await client.create(
    { ...SECRETS, namespace: 'kube-system' },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `bootstrap-token-${TOKEN.id}` },
      type: 'bootstrap.kubernetes.io/token',
      data: text({
        'token-id': TOKEN.id,
        'token-secret': TOKEN.secret,
        'usage-bootstrap-authentication': 'true',
        'auth-extra-groups': BOOTSTRAPPERS,
      }),
    },
  )
  for (const [name, role, group] of [
    ['bootstrap', 'system:node-bootstrapper', BOOTSTRAPPERS],
    ['approve-bootstrap', 'system:certificates.k8s.io:certificatesigningrequests:nodeclient', BOOTSTRAPPERS],
    ['approve-rotation', 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient', 'system:nodes'],
  ] as const)
    await client.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'Group', name: group, apiGroup: 'rbac.authorization.k8s.io' }],
    })
}

function bootstrapKubeconfig(server: string, ca: string): string {
  const file = path.join(folder, 'bootstrap.kubeconfig')
  const name = 'default'
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name, user: { token: `${TOKEN.id}.${TOKEN.secret}` } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
  writeFileSync(file, JSON.stringify(content))
  return file
}

/** `bowsprit node`, as a process. */
function startNode(flags: readonly string[]): AsyncDisposable {
  const own = [...WITHOUT_NETWORK, '--runtime', machine.endpoint, '--name', 'worker-1']
  const child = spawnNode([...flags, ...own], ['ignore', 'inherit', 'inherit'])
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

async function servingCertificate(port: number): Promise<unknown> {
  const socket: TLSSocket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate().subject.CN
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

test('a node asks for its certificates by a bootstrap token, and comes back with them', async () => {
  await using cluster = await startCluster({ nodes: 0 })
  const client = cluster.client()
  const server = await cluster.listen()
  const [, ca = ''] = /certificate-authority-data: "?([\w+/=]+)/.exec(cluster.kubeconfig()) ?? []
  await allowJoining(client)
  const [kubeconfig, certDir] = [path.join(folder, 'kubelet.kubeconfig'), path.join(folder, 'pki')]
  const config = writeKubeletConfig(folder, machine, {
    serverTLSBootstrap: true,
    rotateCertificates: true,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
  })
  const common = ['--kubeconfig', kubeconfig, '--cert-dir', certDir, '--config', config]
  const port = async () => (await client.get({ ...NODES, name: 'worker-1' })).status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0
  {
    await using _node = startNode(['--bootstrap-kubeconfig', bootstrapKubeconfig(server, ca), ...common])
    await waitFor(async () => (await client.list(NODES)).items.length === 1, { timeoutMs: 60_000 })
    const wants = (await client.list(CERTIFICATE_SIGNING_REQUESTS)).items.map((r) => [r.spec.signerName, r.spec.username])
    assert.deepEqual(wants[0]?.[1]?.startsWith('system:'), true)
    assert.ok(
      wants.some(([signer, user]) => signer === 'kubernetes.io/kube-apiserver-client-kubelet' && user === `system:bootstrap:${TOKEN.id}`),
    )
    assert.match(readFileSync(kubeconfig, 'utf8'), /kubelet-client-current\.pem/)

    // Nobody approves certificates of servers by himself.
    assert.equal(await servingCertificate(await port()), undefined)
    let request = (await client.list(CERTIFICATE_SIGNING_REQUESTS)).items.find((r) => r.spec.signerName === 'kubernetes.io/kubelet-serving')
    await waitFor(
      async () => {
        const { items } = await client.list(CERTIFICATE_SIGNING_REQUESTS)
        request = items.find((r) => r.spec.signerName === 'kubernetes.io/kubelet-serving')
        return request !== undefined
      },
      { timeoutMs: 60_000 },
    )
    assert.ok(request)
    assert.equal(request.spec.username, 'system:node:worker-1')
    const conditions = [{ type: 'Approved', status: 'True' as const, reason: 'Test', message: '' }]
    await client.update(
      { ...CERTIFICATE_SIGNING_REQUESTS, name: request.metadata.name ?? '', subresource: 'approval' },
      { ...request, status: { ...request.status, conditions } },
    )
    await waitFor(async () => (await servingCertificate(await port())) === 'system:node:worker-1', { timeoutMs: 60_000 })
    await createPod(client, 'joined', { nodeName: 'worker-1', containers: [{ name: 'main', image, command: LASTS }] })
    await reached(client, 'joined', isReady)
    assert.equal(await logOf(client, 'joined'), 'started\n')
  }
  assert.ok(existsSync(path.join(certDir, 'kubelet-server-current.pem')))
  // It needs no token any more, and asks for nothing.
  const before = (await client.list(CERTIFICATE_SIGNING_REQUESTS)).items.length
  await using _again = startNode(common)
  await waitFor(async () => (await servingCertificate(await port())) === 'system:node:worker-1', { timeoutMs: 60_000 })
  await removed(client, 'joined')
  assert.equal((await client.list(CERTIFICATE_SIGNING_REQUESTS)).items.length, before)
})

test.after(() => machine[Symbol.asyncDispose]())
