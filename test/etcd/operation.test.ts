/** docs/operation.md, step by step: three members and three servers by the units of `examples/high-availability`. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import { moveObjects } from '../../src/cluster/moving/move-objects.ts'
import { type RunningServer, startApiServer } from '../../src/cluster/server/api-server.ts'
import { type SharedCertificatesConfig, writeSharedCertificates } from '../../src/cluster/shared-certificates.ts'
import { parseFlags } from '../../src/machinery/flags/parse-flags.ts'
import * as refs from '../../src/resources/refs.ts'
import type { TokenRequest } from '../../src/resources/types/authentication.ts'
import type { ConfigMap } from '../../src/resources/types/core.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfigFile } from '../../src/sdk/client/kubeconfig.ts'
import { readServerOptions, SERVER_FLAGS } from '../../src/server/options/server-options.ts'
import { etcdOf } from '../../src/server/options/storage.ts'
import { findEtcd } from '../../src/storage/etcd/real-etcd.double.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { freePort } from '../free-port.ts'
import { startBalancer } from './balancer.ts'

const found = findEtcd()
const skip = 'why' in found ? found.why : false
const program = 'program' in found ? found.program : ''
const EXAMPLES = path.join(import.meta.dirname, '../../examples/high-availability')
const NAMES = ['a', 'b', 'c']
const CONFIG_MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }

/** The arguments of a unit's program, with the values of its environment file and this test's folders. */
function argumentsOf(unit: string, words: Readonly<Record<string, string>>): string[] {
  const text = readFileSync(path.join(EXAMPLES, unit), 'utf8').replaceAll('\\\n', ' ')
  const [, line = ''] = /^ExecStart=\S+ (.*)$/m.exec(text) ?? []
  const filled = line.replace(
    /\$\{(\w+)\}|\/etc\/bowsprit\/pki|\/var\/lib\/etcd/g,
    (place, name: string | undefined) => words[name ?? place] ?? place,
  )
  return filled.split(/\s+/).filter((word) => word !== '')
}

/** etcd's ports differ between the members of one machine. */
const onPorts = (words: readonly string[], client: number, peer: number) =>
  words.map((word) => (word.startsWith('--initial-cluster=') ? word : word.replace(':2379', `:${client}`).replace(':2380', `:${peer}`)))

/** Of a machine. */
interface Ports {
  readonly client: number
  readonly peer: number
  readonly server: number
}

class Site implements AsyncDisposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'bowsprit-operation-'))
  readonly pki = path.join(this.folder, 'pki')
  readonly #ports: readonly Ports[]
  readonly balancer: Awaited<ReturnType<typeof startBalancer>>
  #members: ChildProcess[] = []
  #servers: RunningServer[] = []
  #generation = 0

  private constructor(ports: readonly Ports[], balancer: Site['balancer']) {
    this.#ports = ports
    this.balancer = balancer
  }

  static async open(): Promise<Site> {
    const ports = []
    for (const _ of NAMES) ports.push({ client: await freePort(), peer: await freePort(), server: await freePort() })
    const site = new Site(ports, await startBalancer(ports.map(({ server }) => server)))
    site.certificates()
    return site
  }

  certificates(more: Partial<SharedCertificatesConfig> = {}): readonly string[] {
    const server = `https://127.0.0.1:${this.balancer.port}`
    const config: SharedCertificatesConfig = {
      folder: this.pki,
      server,
      hosts: [],
      etcdHosts: [],
      serviceCidr: '10.0.0.0/24',
      renew: false,
      signingKey: 'keep',
    }
    return writeSharedCertificates({ ...config, ...more }, { clock: systemClock })
  }

  get etcd() {
    const file = (name: string) => path.join(this.pki, name)
    return etcdOf({
      'etcd-servers': this.#ports.map(({ client }) => `https://127.0.0.1:${client}`),
      'etcd-cafile': file('etcd/ca.crt'),
      'etcd-certfile': file('apiserver-etcd-client.crt'),
      'etcd-keyfile': file('apiserver-etcd-client.key'),
    })
  }

  /** New, empty members. */
  async startMembers(): Promise<void> {
    this.#generation++
    const members = NAMES.map((name, i) => `${name}=https://127.0.0.1:${this.#ports[i]?.peer}`).join(',')
    this.#members = this.#ports.map(({ client, peer }, i) => {
      const words = { NAME: NAMES[i] ?? '', ADDRESS: '127.0.0.1', MEMBERS: members, '/etc/bowsprit/pki': this.pki }
      const data = path.join(this.folder, `etcd-${this.#generation}-${i}`)
      return spawn(program, onPorts(argumentsOf('etcd.service', { ...words, '/var/lib/etcd': data }), client, peer), { stdio: 'ignore' })
    })
  }

  async stopMembers(): Promise<void> {
    for (const member of this.#members.splice(0)) {
      member.kill('SIGKILL')
      if (member.exitCode === null && member.signalCode === null) await once(member, 'exit')
    }
  }

  async startServers(): Promise<void> {
    this.#servers = await Promise.all(NAMES.map((_, i) => this.#start(i)))
    await waitFor(() => this.balancer.readyServers === NAMES.length)
  }

  async stopServers(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map(stop))
  }

  /** One after the other. */
  async restartServers(): Promise<void> {
    for (const [i, server] of this.#servers.entries()) {
      await stop(server)
      this.#servers[i] = await this.#start(i)
    }
  }

  #start(i: number): Promise<RunningServer> {
    const words = {
      ADDRESS: '127.0.0.1',
      PORT: String(this.#ports[i]?.server),
      ETCD: this.etcd.servers.join(','),
      '/etc/bowsprit/pki': this.pki,
    }
    const flags = argumentsOf('bowsprit-apiserver.service', words).filter((word) => word !== 'apiserver')
    // Nobody else has to notice in this test: the balancer asks often.
    const soon = ['--shutdown-delay-duration=300ms', '--etcd-db-metric-poll-interval=1s']
    return startApiServer(readServerOptions(parseFlags(SERVER_FLAGS, [...flags, ...soon])))
  }

  async client(token?: string) {
    const { cert, key, ...config } = await loadKubeconfigFile(path.join(this.pki, 'admin.conf'))
    return createClient(
      httpsTransport(token === undefined ? { ...config, ...(cert && { cert }), ...(key && { key }) } : { ...config, token }),
    )
  }

  /** What the administrator reads at a path of a server. */
  async page(at: string): Promise<string> {
    const { server, ca, cert, key } = await loadKubeconfigFile(path.join(this.pki, 'admin.conf'))
    return new Promise((resolve, reject) => {
      https
        .get(new URL(at, server), { ca, cert, key, agent: false }, (response) => void text(response).then(resolve, reject))
        .on('error', reject)
    })
  }

  async [Symbol.asyncDispose]() {
    await this.stopServers()
    await this.balancer[Symbol.asyncDispose]()
    await this.stopMembers()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function stop(server: RunningServer): Promise<void> {
  await server.drain()
  await server[Symbol.asyncDispose]()
}

test('three members and three servers by the units: certificates, keys, backup and restore', { skip, timeout: 280_000 }, async (t) => {
  await using site = await Site.open()
  await site.startMembers()
  await site.startServers()
  const admin = await site.client()
  const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { a: 'b' } }
  await admin.create(CONFIG_MAPS, object)

  await t.test('a server shows how it is, and what it asks of etcd', async () => {
    assert.match(await site.page('/readyz?verbose'), /^\[\+\]etcd ok$/m)
    assert.match(await site.page('/livez?verbose'), /^livez check passed$/m)
    const metrics = await site.page('/metrics')
    assert.match(metrics, /^etcd_requests_total\{group="",operation="create",resource="configmaps"\} [1-9]\d*$/m)
    assert.match(metrics, /^apiserver_storage_events_received_total\{group="",resource="configmaps"\} \d+$/m)
    assert.match(metrics, /^apiserver_storage_objects\{resource="configmaps"\} \d+$/m)
    // etcd is asked for its size beside everything else, and may need more than one interval.
    const size = /^apiserver_storage_size_bytes\{storage_cluster_id="etcd-0"\} [1-9]\d*$/m
    await waitFor(async () => size.test(await site.page('/metrics')), { what: 'the size of etcd' })
  })

  await t.test('certificates are renewed while the servers run', async () => {
    assert.ok(site.certificates({ renew: true }).includes('apiserver.crt'))
    const renewed = await site.client()
    assert.equal((await renewed.get({ ...CONFIG_MAPS, name: 'kept' })).metadata.name, 'kept')
  })

  await t.test('the signing key is rotated in two rounds, in which no token fails', async () => {
    await admin.create(
      { ...refs.SERVICE_ACCOUNTS, namespace: 'default' },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'app' } },
    )
    const tokenOf = async () => {
      const target = { ...refs.SERVICE_ACCOUNTS, namespace: 'default', name: 'app', subresource: 'token' }
      const request: TokenRequest = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { audiences: [] } }
      return (await admin.create<TokenRequest>(target, request)).status?.token ?? ''
    }
    const isKnown = async (token: string) => {
      const review = await (await site.client(token)).create(
        { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews' },
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
      )
      return review.kind === 'SelfSubjectReview'
    }
    const old = await tokenOf()
    for (const round of [1, 2]) {
      site.certificates({ signingKey: 'rotate' })
      await site.restartServers()
      assert.equal(await isKnown(old), true, `in round ${round}`)
    }
    const fresh = await tokenOf()
    site.certificates({ signingKey: 'forget' })
    await site.restartServers()
    assert.equal(await isKnown(fresh), true)
    await assert.rejects(isKnown(old), { code: 401 })
  })

  await t.test('what was exported is restored into new members', async () => {
    const file = path.join(site.folder, 'objects')
    const deps = {
      clock: systemClock,
      random: systemRandom(),
      log: silentLogger,
      etcd: { ...site.etcd, compactionIntervalMs: undefined },
      encryption: undefined,
    }
    const etcd = { kind: 'etcd', servers: site.etcd.servers } as const
    const snapshot = { kind: 'snapshot', file } as const
    await site.stopServers()
    await moveObjects({ from: etcd, to: snapshot }, { from: deps, to: deps, progress() {} })
    await site.stopMembers()
    await site.startMembers()
    await moveObjects({ from: snapshot, to: etcd }, { from: deps, to: deps, progress() {} })
    await site.startServers()
    const restored = await waitFor(async () => (await site.client()).get<ConfigMap>({ ...CONFIG_MAPS, name: 'kept' }), {
      what: 'the object is back',
    })
    assert.deepEqual(restored.data, { a: 'b' })
  })
})
