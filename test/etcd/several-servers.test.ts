/** Three API servers on one etcd behind a balancer, with the certificates of `bowsprit certificates`. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { type RunningServer, startApiServer } from '../../src/cluster/server/api-server.ts'
import { writeSharedCertificates } from '../../src/cluster/shared-certificates.ts'
import { parseFlags } from '../../src/machinery/flags/parse-flags.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import * as refs from '../../src/resources/refs.ts'
import type { ConfigMap } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfigFile } from '../../src/sdk/client/kubeconfig.ts'
import { readServerOptions, SERVER_FLAGS } from '../../src/server/options/server-options.ts'
import { findEtcd, startRealEtcd } from '../../src/storage/etcd/real-etcd.double.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { freePort } from '../free-port.ts'
import { startBalancer } from './balancer.ts'

const found = findEtcd()
const skip = 'why' in found ? found.why : false
const program = 'program' in found ? found.program : ''

const CONFIG_MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }
/** Addresses of TEST-NET-1: each server advertises one of its own. */
const advertised = (i: number) => `192.0.2.${i + 1}`

/** Servers whose certificates and keys are those of one folder. `onHosts`: each has a host's name of its own. */
async function stage(count: number, { onHosts = false } = {}) {
  const etcd = await startRealEtcd(program)
  const folder = mkdtempSync(path.join(tmpdir(), 'bowsprit-servers-'))
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()))
  const balancer = await startBalancer(ports)
  const url = `https://127.0.0.1:${balancer.port}`
  writeSharedCertificates(
    { folder, server: url, hosts: [], etcdHosts: [], serviceCidr: '10.0.0.0/24', renew: false, signingKey: 'keep' },
    { clock: systemClock },
  )
  const at = (file: string) => path.join(folder, file)
  const servers = new Set<RunningServer>()
  const start = async (i: number, ...flags: string[]): Promise<RunningServer> => {
    const server = await startApiServer(
      readServerOptions(
        parseFlags(SERVER_FLAGS, [
          `--etcd-servers=${etcd.url.origin}`,
          ...['--bind-address=127.0.0.1', `--secure-port=${ports[i]}`, `--advertise-address=${advertised(i)}`],
          ...[
            `--tls-cert-file=${at('apiserver.crt')}`,
            `--tls-private-key-file=${at('apiserver.key')}`,
            `--client-ca-file=${at('ca.crt')}`,
          ],
          ...[`--service-account-key-file=${at('sa.pub')}`, `--service-account-signing-key-file=${at('sa.key')}`],
          ...[
            '--service-account-issuer=https://kubernetes.default.svc',
            '--authorization-mode=Node,RBAC',
            '--shutdown-delay-duration=400ms',
          ],
          ...flags,
        ]),
      ),
      onHosts ? { hostname: `host-${i}` } : {},
    )
    servers.add(server)
    return server
  }
  const kubeconfig = await loadKubeconfigFile(at('admin.conf'))
  const transport = httpsTransport(kubeconfig)
  return {
    start,
    /** What a server needs to forward to others, and to be reached by them. */
    peerFlags: (i: number) => [
      ...[`--peer-ca-file=${at('ca.crt')}`, '--peer-advertise-ip=127.0.0.1', `--peer-advertise-port=${ports[i]}`],
      ...[`--proxy-client-cert-file=${at('front-proxy-client.crt')}`, `--proxy-client-key-file=${at('front-proxy-client.key')}`],
      ...[`--requestheader-client-ca-file=${at('front-proxy-ca.crt')}`, '--requestheader-username-headers=X-Remote-User'],
      ...['--requestheader-group-headers=X-Remote-Group', '--requestheader-extra-headers-prefix=X-Remote-Extra-'],
    ],
    /** One server, without the balancer. */
    transportOf: (i: number) => httpsTransport({ ...kubeconfig, server: `https://127.0.0.1:${ports[i]}` }),
    /** Resolves when the balancer has found this many servers. */
    balanced: (count: number) => waitFor(() => balancer.readyServers === count, { what: 'the balancer has found the servers' }),
    client: createClient(transport),
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server[Symbol.asyncDispose]()
      await transport[Symbol.asyncDispose]()
      await balancer[Symbol.asyncDispose]()
      await etcd[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function stop(server: RunningServer): Promise<void> {
  await server.drain()
  await server[Symbol.asyncDispose]()
}

const endpointsOf = async (client: Client) => {
  const { subsets = [] } = await client.get({ ...refs.ENDPOINTS, namespace: 'default', name: 'kubernetes' })
  return subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip))
}

test('servers of one etcd are all endpoints of the service kubernetes, and have a lease; one that stops leaves', { skip }, async () => {
  await using it = await stage(2)
  const [a, b] = [await it.start(0), await it.start(1)]
  await it.balanced(2)
  try {
    await waitFor(async () => (await endpointsOf(it.client)).length === 2, { what: 'both are endpoints' })
    assert.deepEqual(await endpointsOf(it.client), [advertised(0), advertised(1)])
    const { items } = await it.client.list(
      { ...refs.LEASES, namespace: 'kube-system' },
      { labelSelector: 'apiserver.kubernetes.io/identity' },
    )
    assert.deepEqual(
      items.map(({ metadata }) => metadata.labels?.['apiserver.kubernetes.io/identity']),
      ['kube-apiserver'],
      'both are on one host, and so have one name',
    )
    await stop(b)
    assert.deepEqual(await endpointsOf(it.client), [advertised(0)])
  } finally {
    await stop(a)
  }
})

test('a rolling restart of three servers fails no request of a client that retries, and loses no event of its watch', {
  skip,
}, async () => {
  await using it = await stage(3)
  const servers = await Promise.all([0, 1, 2].map((i) => it.start(i)))
  await it.balanced(3)
  const over = new AbortController()
  const written = new Set<string>()
  const failures: unknown[] = []
  const write = async (worker: number) => {
    for (let i = 0; !over.signal.aborted; i++) {
      const name = `c-${worker}-${i}`
      try {
        const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { i: String(i) } }
        await it.client.create(CONFIG_MAPS, object)
        written.add(name)
        await it.client.get({ ...CONFIG_MAPS, name })
        await it.client.delete({ ...CONFIG_MAPS, name })
      } catch (error) {
        failures.push(error)
      }
    }
  }
  const watched = new Set<string>()
  const begin = (await it.client.list(CONFIG_MAPS)).metadata.resourceVersion ?? ''
  const watching = follow(it.client, begin, over.signal, watched)
  const writing = Promise.all([0, 1, 2, 3].map(write))
  try {
    for (const i of servers.keys()) {
      const running = servers[i]
      const before = written.size
      await waitFor(() => written.size > before + 20, { what: 'the clients write' })
      if (running !== undefined) await stop(running)
      servers[i] = await it.start(i)
    }
    await waitFor(() => [...written].every((name) => watched.has(name)), { what: 'the watch has shown every object' })
  } finally {
    over.abort()
    await writing
    await watching
    await Promise.all(servers.map(stop))
  }
  assert.deepEqual(failures, [])
})

test('what only one server knows is forwarded to it by the other, and is in the discovery of both', { skip }, async () => {
  await using it = await stage(2, { onHosts: true })
  const [older, newer] = [
    await it.start(0, ...it.peerFlags(0)),
    await it.start(
      1,
      ...it.peerFlags(1),
      '--feature-gates=ClusterTrustBundle=true',
      '--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true',
    ),
  ]
  await using transport = it.transportOf(0)
  const client = createClient(transport)
  const target = refs.CLUSTER_TRUST_BUNDLES
  const answers = () =>
    client.list(target).then(
      () => 200,
      (error: unknown) => (isStatus(error) ? error.status.code : 0),
    )
  const discovered = async (profile: string) => {
    const { value } = await client.page('/apis', {
      accept: `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList${profile}`,
    })
    return JSON.stringify(value).includes('clustertrustbundles')
  }
  try {
    await waitFor(async () => (await answers()) === 200, { what: 'the older server forwards' })
    const bundle = {
      apiVersion: 'certificates.k8s.io/v1beta1',
      kind: 'ClusterTrustBundle',
      metadata: { name: 'a' },
      spec: { trustBundle: '' },
    }
    await assert.rejects(client.create(target, bundle as never), (error) => isStatus(error, 'Invalid'), 'the newer one validates')
    assert.deepEqual([await discovered(''), await discovered(';profile=nopeer')], [true, false])
    await stop(newer)
    await waitFor(async () => (await answers()) === 404, { what: 'the newer server is forgotten' })
    assert.equal(await discovered(''), false)
  } finally {
    await stop(older)
  }
})

/** As an informer: watches again behind the last event, wherever the balancer leads. */
async function follow(client: Client, after: string, signal: AbortSignal, seen: Set<string>): Promise<void> {
  let resourceVersion = after
  while (!signal.aborted) {
    try {
      for await (const events of client.watch<ConfigMap>(CONFIG_MAPS, { resourceVersion, signal }))
        for (const { object } of events) {
          resourceVersion = object.metadata.resourceVersion ?? resourceVersion
          seen.add(object.metadata.name ?? '')
        }
    } catch {
      // The next server is asked.
    }
  }
}
