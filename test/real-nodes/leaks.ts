/** The test of `leaks.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../src/base/random.ts'
import { CSI_DRIVERS, CSI_NODES, PODS } from '../../src/resources/refs.ts'
import type { Pod, PodSpec, Volume } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { serveCsiDriver } from '../../src/sdk/csi/serve-csi-driver.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { folderDriver } from './csi/folder-driver.ts'
import { findRuntime } from './found-runtime.ts'
import { leftoversOf, lostSandboxes } from './leftovers.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { spawnNode, WITHOUT_NETWORK } from './node-process.ts'
import { coverKernelSettings, prepareGroup, realKubeletSettings } from './real-kubelet.ts'
import { writeKubeletConfig } from './start-agent.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)
const place = { namespace: 'default' }
const NODE = 'node-1'
const CSI = 'folders.example.com'
const KUBELET = '/var/lib/kubelet'
const count = Number(process.env.LEAK_PODS ?? 12)
const seed = Number(process.env.LEAK_SEED ?? 1)
const random = seededRandom(seed)
const drawn = <T>(values: readonly T[]): T => values[random.int(values.length)] as T

const FLEX = path.join(folder, 'flex')
const FLEX_DRIVER = `#!/bin/sh
case $1 in
init) echo '{"status":"Success","capabilities":{"attach":false}}';;
mount) mount -t tmpfs tmpfs "$2" && echo '{"status":"Success"}';;
unmount) umount "$2"; echo '{"status":"Success"}';;
*) echo '{"status":"Not supported"}'; exit 1;;
esac
`

/** A real kubelet in the agent's place, for comparison. */
const kubelet = process.env.LEAK_KUBELET

function startProcess(kubeconfig: string): ChildProcess {
  const log = openSync(path.join(folder, 'agent.log'), 'a')
  const settings = { volumePluginDir: FLEX, ...(kubelet !== undefined && realKubeletSettings(machine)) }
  const own = ['--kubeconfig', kubeconfig, '--node-ip', '192.0.2.11', '--config', writeKubeletConfig(folder, machine, settings)]
  if (kubelet !== undefined) return spawn(kubelet, [...own, '--hostname-override', NODE], { stdio: ['ignore', log, log] })
  return spawnNode([...own, '--runtime', machine.endpoint, '--name', NODE, ...WITHOUT_NETWORK], ['ignore', log, log])
}

/** The agent as a process of its own, that can be killed at any moment. */
class KilledAgent implements AsyncDisposable {
  readonly #kubeconfig: string
  #child: ChildProcess | undefined

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig
    if (kubelet === undefined) return
    coverKernelSettings(folder)
    prepareGroup(machine.cgroupRoot)
  }

  start(): void {
    this.#child = startProcess(this.#kubeconfig)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

const VOLUMES: readonly Omit<Volume, 'name'>[] = [
  { emptyDir: {} },
  { emptyDir: { medium: 'Memory' } },
  { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
  { csi: { driver: CSI } },
  { flexVolume: { driver: 'example.com/memory' } },
  { flexVolume: { driver: 'example.com/nothing' } },
]

const COMMANDS = ['sleep 1000', "trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done", 'exit 0', 'exit 3']
const LIMITED = { limits: { memory: '32Mi' } }
/** Ends as out of memory. Without a limit it would take all that the machine has. */
const TAKES_MEMORY = 'cat /dev/zero | tail'

function randomPod(name: string): Pod {
  const volumes = Array.from({ length: random.int(3) }, (_, i) => ({ name: `v${i}`, ...drawn(VOLUMES) }))
  const volumeMounts = volumes.map((volume) => ({
    name: volume.name,
    mountPath: `/${volume.name}`,
    ...(random.int(3) === 0 && volume.emptyDir && { subPath: 'part' }),
  }))
  const container = (own: string) => {
    const resources = drawn([{}, LIMITED, { requests: { cpu: '10m' } }])
    return {
      name: own,
      image: random.int(12) === 0 ? 'nowhere.example.com/none' : image,
      command: ['sh', '-c', own === 'first' ? 'exit 0' : drawn(resources === LIMITED ? [...COMMANDS, TAKES_MEMORY] : COMMANDS)],
      volumeMounts,
      resources,
      ...(random.int(4) === 0 && { ports: [{ containerPort: 80, hostPort: 32_000 + random.int(500) }] }),
    }
  }
  const spec: PodSpec = {
    nodeName: NODE,
    terminationGracePeriodSeconds: drawn([0, 1, 2]),
    restartPolicy: drawn(['Always', 'Never', 'OnFailure'] as const),
    hostNetwork: false,
    ...(random.int(3) === 0 && { securityContext: { fsGroup: 1000 } }),
    ...(random.int(3) === 0 && { initContainers: [container('first')] }),
    containers: Array.from({ length: 1 + random.int(2) }, (_, i) => container(`c${i}`)).map((c, i) => (i === 0 ? c : { ...c, ports: [] })),
    volumes,
  }
  const annotations = random.int(4) === 0 ? { 'kubernetes.io/ingress-bandwidth': '10M' } : {}
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, annotations }, spec }
}

/** How long a pod is waited for that may never start. */
const SETTLED_MS = 8000
const settled = (client: Client, name: string) =>
  waitFor(
    async () => {
      const { phase, containerStatuses = [] } = (await client.get({ ...PODS, ...place, name })).status ?? {}
      return phase === 'Failed' || containerStatuses.some((c) => c.state?.waiting === undefined)
    },
    { timeoutMs: SETTLED_MS },
  ).catch(() => {})

/** On a busy machine. */
const GONE_MS = 150_000

const logOfAgent = () => `the agent says: ${readFileSync(path.join(folder, 'agent.log'), 'utf8').slice(-4000)}`

/** Pods that are made in one round, and that outlive it. */
const AT_ONCE = 4
const MOST_ALIVE = 6

/** Any dozen of pods has them. */
const ALWAYS_SEEN = [
  'containers and sandboxes',
  'tasks',
  'shims',
  'network namespaces',
  'interfaces',
  'addresses',
  'mounts',
  'control groups',
  'folders of pods',
  'logs',
]

test(`nothing is left of ${count} random pods (seed ${seed})`, async (t) => {
  mkdirSync(path.join(FLEX, 'example.com~memory'), { recursive: true })
  writeFileSync(path.join(FLEX, 'example.com~memory', 'memory'), FLEX_DRIVER)
  chmodSync(path.join(FLEX, 'example.com~memory', 'memory'), 0o755)
  await using cluster = await startCluster({ nodes: 0 })
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const client = cluster.client()
  const driver = folderDriver({ name: CSI, root: path.join(folder, 'volumes'), nodeId: NODE })
  const socket = path.join(KUBELET, 'plugins', CSI, 'csi.sock')
  await using _driver = await serveCsiDriver(driver, { socket, registry: path.join(KUBELET, 'plugins_registry') })
  await client.create(CSI_DRIVERS, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: CSI },
    spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Ephemeral'] },
  })
  await using agent = new KilledAgent(kubeconfig)
  agent.start()
  await waitFor(async () => (await client.list(CSI_NODES)).items.some(({ spec }) => spec.drivers?.length === 1), { timeoutMs: 60_000 })
  const pods = { ...PODS, ...place }
  const alive: string[] = []
  const seen = new Set<string>()
  const remove = async (name: string) => {
    const gracePeriodSeconds = random.int(3) === 0 ? 0 : undefined
    await client.delete({ ...pods, name }, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds })
  }
  for (let i = 0; i < count; i += AT_ONCE) {
    const made = Array.from({ length: Math.min(AT_ONCE, count - i) }, (_, k) => `pod-${i + k}`)
    for (const name of made) await client.create(pods, randomPod(name))
    alive.push(...made)
    // Half of the rounds come as far as they can, the others as far as chance lets them.
    if (random.int(2) === 0) await Promise.all(made.map((name) => settled(client, name)))
    else await sleep(random.int(1500))
    if (random.int(2) === 0) {
      await agent.kill()
      if (random.int(2) === 0) await remove(alive.shift() ?? '')
      agent.start()
    }
    for (const [kind, items] of Object.entries(leftoversOf(machine))) if (items.length > 0) seen.add(kind)
    while (alive.length > MOST_ALIVE || (alive.length > 0 && random.int(4) !== 0)) await remove(alive.shift() ?? '')
  }
  for (const name of alive) await remove(name)
  const objects = async () => (await client.list(pods)).items
  await waitFor(async () => (await objects()).length === 0, { timeoutMs: GONE_MS }).catch(() => {})
  assert.deepEqual(await objects(), [], logOfAgent())
  for (const kind of ALWAYS_SEEN) assert.ok(seen.has(kind), `${kind} can be counted: there were some`)
  const lost = lostSandboxes(readFileSync(path.join(folder, 'containerd.log'), 'utf8'))
  const isLost = (item: string) => lost.has(/ -id (\w+)/.exec(item)?.[1] ?? '')
  const left = () =>
    Object.entries(leftoversOf(machine)).flatMap(([kind, all]) => {
      const items = all.filter((item) => !isLost(item))
      return items.length === 0 ? [] : [[kind, items] as const]
    })
  await waitFor(() => left().length === 0, { timeoutMs: GONE_MS }).catch(() => {})
  t.diagnostic(`${leftoversOf(machine).shims?.length} shims are left that containerd has lost`)
  assert.deepEqual(Object.fromEntries(left()), {}, logOfAgent())
})

test.after(() => machine[Symbol.asyncDispose]())
