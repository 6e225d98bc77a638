/**
 * The SDK's plugins and drivers with Kubernetes' kubelet (1.36), against this API server and scheduler: they work on real nodes as on
 * simulated ones. The kubelet runs in a mount namespace, over a container runtime that runs nothing (`test/node/go-cri`). Skipped without a
 * kubelet; `KUBELET` is its path.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { CLAIM_CHECKPOINT, readClaims, writeClaims } from '../../src/node/allocation/claims/claim-checkpoint.ts'
import { DEVICE_CLASSES, NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import type { PodSpec } from '../../src/resources/types/core.ts'
import type { ResourceClaim } from '../../src/resources/types/resource.ts'
import { serveDevicePlugin } from '../../src/sdk/device-plugin/serve-device-plugin.ts'
import { type DraDevice, serveDraDriver } from '../../src/sdk/dra-plugin/public.ts'
import { connectUnix } from '../../src/sdk/grpc/connect-unix.ts'
import { POD_RESOURCES } from '../../src/sdk/node-api/pod-resources.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { freePort } from '../free-port.ts'
import { goPrograms } from '../go-program.ts'
import { runProgram } from '../run-program.ts'

const KUBELET = process.env.KUBELET ?? '/tmp/oracle/bin/kubelet'
const LIMITS = { signal: new AbortController().signal, timeoutMs: 5000 }

test('a driver of the SDK with a real kubelet: published, prepared, in statuses, unprepared', { timeout: 290_000 }, async (t) => {
  const cri = await ready()
  if (cri.why !== undefined) return t.skip(cri.why)
  await using node = await open(t, cri.program)
  await node.kubelet()
  let device: DraDevice = { name: 'gpu-0', attributes: { model: 'x9' }, healthy: true }
  const requested: string[] = []
  await using driver = await serveDraDriver(
    {
      name: 'gpu.example.com',
      discover: () => [device],
      prepare({ name, devices }) {
        requested.push(`prepare ${name}`)
        return devices.map((d) => ({ ...d, cdi: [`example.com/gpu=${d.device}`] }))
      },
      unprepare: ({ name }) => void requested.push(`unprepare ${name}`),
    },
    { client: node.client, nodeName: 'node-1', folder: node.folder },
  )
  await Promise.all([driver.registered, driver.published])
  const api = { apiVersion: 'resource.k8s.io/v1' } as const
  await node.client.create(DEVICE_CLASSES, { ...api, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} })
  const requests = [{ name: 'card', exactly: { deviceClassName: 'gpu' } }]
  const claim: ResourceClaim = { ...api, kind: 'ResourceClaim', metadata: { name: 'one' }, spec: { devices: { requests } } }
  await node.client.create({ ...RESOURCE_CLAIMS, namespace: 'default' }, claim)
  const claims = [{ name: 'card' }]
  for (const name of ['a', 'b'])
    await node.create(name, {
      resourceClaims: [{ name: 'card', resourceClaimName: 'one' }],
      containers: [{ name: 'main', image: 'app', resources: { claims } }],
    })
  await node.until('both pods run', async () => (await node.phase('a')) === 'Running' && (await node.phase('b')) === 'Running')
  assert.deepEqual(requested, ['prepare one'])
  assert.deepEqual(
    node.created().map((c) => c.cdi),
    [[{ name: 'example.com/gpu=gpu-0' }], [{ name: 'example.com/gpu=gpu-0' }]],
  )
  using resources = await connectUnix(path.join(node.folder, 'pod-resources', 'kubelet.sock'), { clock: systemClock })
  const { podResources } = await resources.call(POD_RESOURCES.get, { podName: 'a', podNamespace: 'default' }, LIMITS)
  assert.equal(podResources?.containers[0]?.dynamicResources[0]?.claimResources[0]?.deviceName, 'gpu-0')

  // The kubelet's checkpoint can be read, and writing it gives the same text.
  const text = readFileSync(path.join(node.folder, CLAIM_CHECKPOINT), 'utf8')
  const read = readClaims(text)
  assert.deepEqual(
    read.map((c) => [c.name, c.pods.size, c.drivers.get('gpu.example.com')?.[0]?.deviceName]),
    [['one', 2, 'gpu-0']],
  )
  assert.deepEqual(readClaims(writeClaims(read)), read)
  assert.deepEqual(sorted(JSON.parse(JSON.parse(writeClaims(read)).Data)), sorted(JSON.parse(JSON.parse(text).Data)))

  device = { ...device, healthy: false, message: 'too hot' }
  await driver.refresh()
  const health = [{ name: 'claim:card', resources: [{ resourceID: 'example.com/gpu=gpu-0', health: 'Unhealthy', message: 'too hot' }] }]
  const reported = async () => JSON.stringify((await node.pod('a')).status?.containerStatuses?.[0]?.allocatedResourcesStatus)
  await node.until('the status tells of it', async () => (await reported()) === JSON.stringify(health))

  await node.stop()
  // The kubelet accepts our checkpoint.
  writeFileSync(path.join(node.folder, CLAIM_CHECKPOINT), writeClaims(read))
  await node.kubelet()
  await node.until('its slices are there again', async () => (await node.client.list(RESOURCE_SLICES)).items.length === 1)
  for (const name of ['a', 'b']) await node.delete(name)
  await node.until('it is given back', () => requested.at(-1) === 'unprepare one')
  assert.deepEqual(requested, ['prepare one', 'unprepare one'])
})

test('a device plugin of the SDK with a real kubelet: counted, given, sick, and there again after a restart', {
  timeout: 290_000,
}, async (t) => {
  const cri = await ready()
  if (cri.why !== undefined) return t.skip(cri.why)
  await using node = await open(t, cri.program)
  await node.kubelet()
  let sick = ''
  const started: string[] = []
  await using plugin = await serveDevicePlugin(
    {
      resource: 'example.com/dongle',
      discover: () => ['a', 'b'].map((id) => ({ id, healthy: id !== sick, numaNodes: [0] })),
      allocate: (ids) => ({
        env: { DONGLES: ids.join(',') },
        devices: [{ hostPath: '/dev/null' }],
        mounts: [{ hostPath: '/srv' }],
        cdi: ['example.com/dongle=x'],
      }),
      prefer: ({ available }) => ['b', ...available].slice(0, 1),
      preStart: (ids) => void started.push(...ids),
    },
    { folder: path.join(node.folder, 'device-plugins') },
  )
  await plugin.registered
  const amounts = async () => {
    const { status } = await node.client.get({ ...NODES, name: 'node-1' })
    return `${status?.capacity?.['example.com/dongle']}/${status?.allocatable?.['example.com/dongle']}`
  }
  await node.until('the node has two', async () => (await amounts()) === '2/2')
  const limits = { 'example.com/dongle': '1' }
  await node.create('one', { containers: [{ name: 'main', image: 'app', resources: { limits } }] })
  await node.until('the pod runs', async () => (await node.phase('one')) === 'Running')
  const [spec] = node.created()
  assert.deepEqual(started, ['b'])
  assert.equal(spec?.envs.find((e) => e.key === 'DONGLES')?.value, 'b')
  assert.deepEqual(spec?.cdi, [{ name: 'example.com/dongle=x' }])
  assert.deepEqual(
    spec?.devices.map((d) => d.host_path),
    ['/dev/null'],
  )
  assert.ok(spec?.mounts.some((m) => m.host_path === '/srv'))
  sick = 'a'
  await plugin.refresh()
  await node.until('one is sick', async () => (await amounts()) === '2/1')
  await node.stop()
  await node.kubelet()
  await node.until('it is there again', async () => (await amounts()) === '2/1')
  assert.equal(await node.phase('one'), 'Running')
})

interface Created {
  readonly cdi: readonly { readonly name: string }[] | null
  readonly envs: readonly { readonly key: string; readonly value: string }[]
  readonly devices: readonly { readonly host_path: string }[]
  readonly mounts: readonly { readonly host_path: string }[]
}

/** A machine with a kubelet and its runtime, and its cluster. */
async function open(t: TestContext, cri: string) {
  const root = mkdtempSync(path.join(os.tmpdir(), 'kubelet-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const folder = path.join(root, 'lib', 'kubelet')
  mkdirSync(folder, { recursive: true })
  const cluster = await startCluster({ parts: ['server', 'scheduler', 'controllers'], nodes: 0, port: 0 })
  await cluster.listen()
  const client = cluster.client()
  const socket = path.join(root, 'cri.sock')
  const log = path.join(root, 'created')
  const runtime = spawn(cri, [socket, log], { stdio: 'ignore' })
  const at = (name: string) => path.join(root, name)
  writeFileSync(at('kubeconfig'), cluster.kubeconfig())
  writeFileSync(at('config'), JSON.stringify({ ...CONFIG, containerRuntimeEndpoint: `unix://${socket}`, port: await freePort() }))
  let running: ReturnType<typeof spawn> | undefined
  let said = ''
  const inDefault = { ...PODS, namespace: 'default' }
  const until = async (what: string, holds: () => Promise<boolean> | boolean) => {
    const endMs = systemClock.monotonic() + 120_000
    while (!(await holds())) {
      if (systemClock.monotonic() > endMs || (running !== undefined && running.exitCode !== null))
        throw new Error(`waited in vain: ${what}\n${said.slice(-4000)}`)
      await systemClock.sleep(50)
    }
  }
  const node = {
    client,
    folder,
    until,
    async kubelet() {
      // The folder of device plugins is fixed, whatever the kubelet's root folder.
      const script = `mount --make-rprivate / && mount --bind ${at('lib')} /var/lib && exec ${KUBELET} "$@"`
      const flags = [
        '--config',
        at('config'),
        '--kubeconfig',
        at('kubeconfig'),
        '--hostname-override',
        'node-1',
        '--root-dir',
        '/var/lib/kubelet',
      ]
      running = spawn('unshare', ['-m', 'sh', '-c', script, 'kubelet', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
      for (const stream of [running.stdout, running.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => {
          said = (said + text).slice(-20_000)
        })
      await until('the node is ready', async () => {
        const [own] = (await client.list(NODES)).items
        const conditions: readonly { readonly type: string; readonly status: string }[] = own?.status?.conditions ?? []
        return conditions.some((c) => c.type === 'Ready' && c.status === 'True') && (own?.spec?.taints ?? []).length === 0
      })
      await until('it speaks with plugins', () => existsSync(path.join(folder, 'device-plugins', 'kubelet.sock')))
    },
    async stop() {
      const was = running
      running = undefined
      const ended = new Promise((resolve) => was?.on('exit', resolve))
      was?.kill('SIGKILL')
      await ended
    },
    async create(name: string, spec: PodSpec) {
      await until('the account is there', () =>
        client.get({ ...SERVICE_ACCOUNTS, namespace: 'default', name: 'default' }).then(
          () => true,
          () => false,
        ),
      )
      const whole = { terminationGracePeriodSeconds: 1, automountServiceAccountToken: false, ...spec }
      await client.create(inDefault, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: whole })
    },
    pod: (name: string) => client.get({ ...inDefault, name }),
    phase: async (name: string) => String((await node.pod(name)).status?.phase),
    delete: (name: string) => client.delete({ ...inDefault, name }),
    /** The containers that the runtime was asked to create. */
    created: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Created => JSON.parse(line)),
    async [Symbol.asyncDispose]() {
      if (running !== undefined) await node.stop()
      runtime.kill('SIGKILL')
      await cluster[Symbol.asyncDispose]()
    },
  }
  return node
}

const CONFIG = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  failCgroupV1: false,
  failSwapOn: false,
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  authentication: { webhook: { enabled: false }, anonymous: { enabled: true } },
  authorization: { mode: 'AlwaysAllow' },
  healthzPort: 0,
  localStorageCapacityIsolation: false,
  evictionHard: { 'memory.available': '1Ki', 'nodefs.available': '0%', 'nodefs.inodesFree': '0%', 'imagefs.available': '0%' },
  nodeStatusUpdateFrequency: '2s',
  syncFrequency: '5s',
  resolvConf: '',
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) => (isRecord(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v))
const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The runtime; or why a kubelet is not available. */
async function ready(): Promise<{ readonly program: string; readonly why?: string }> {
  const missing = await whyNoKubelet()
  if (missing !== undefined) return { program: '', why: missing }
  const { bin, why } = await goPrograms('cri')
  return { program: path.join(bin, 'cri'), ...(why !== undefined && { why }) }
}

async function whyNoKubelet(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a kubelet needs Linux and root'
  if (!existsSync(KUBELET)) return 'there is no kubelet here: KUBELET names one'
  const unshared = await runProgram('unshare', ['-m', 'true']).catch(() => undefined)
  return unshared?.code === 0 ? undefined : 'a mount namespace cannot be made here'
}
