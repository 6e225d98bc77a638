/** The test of `leaks.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
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
import { leftoversOf } from './leftovers.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { spawnNode, WITHOUT_NETWORK } from './node-process.ts'
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

/** The agent as a process of its own, that can be killed at any moment. */
class KilledAgent implements AsyncDisposable {
  readonly #args: readonly string[]
  #child: ChildProcess | undefined

  constructor(kubeconfig: string) {
    const config = writeKubeletConfig(folder, machine, { volumePluginDir: FLEX })
    const given = ['--kubeconfig', kubeconfig, '--runtime', machine.endpoint, '--name', NODE, '--node-ip', '192.0.2.11', '--config', config]
    this.#args = [...given, ...WITHOUT_NETWORK]
  }

  start(): void {
    const log = openSync(path.join(folder, 'agent.log'), 'a')
    this.#child = spawnNode(this.#args, ['ignore', log, log])
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

const COMMANDS = ['sleep 1000', "trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done", 'exit 0', 'exit 3', 'cat /dev/zero | tail']

function randomPod(name: string): Pod {
  const volumes = Array.from({ length: random.int(3) }, (_, i) => ({ name: `v${i}`, ...drawn(VOLUMES) }))
  const volumeMounts = volumes.map((volume) => ({
    name: volume.name,
    mountPath: `/${volume.name}`,
    ...(random.int(3) === 0 && volume.emptyDir && { subPath: 'part' }),
  }))
  const container = (own: string) => ({
    name: own,
    image: random.int(12) === 0 ? 'nowhere.example.com/none' : image,
    command: ['sh', '-c', own === 'first' ? 'exit 0' : drawn(COMMANDS)],
    volumeMounts,
    resources: drawn([{}, { limits: { memory: '32Mi' } }, { requests: { cpu: '10m' } }]),
    ...(random.int(4) === 0 && { ports: [{ containerPort: 80, hostPort: 32_000 + random.int(500) }] }),
  })
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

const isSettled = async (client: Client, name: string) =>
  (await client.get({ ...PODS, ...place, name })).status?.containerStatuses?.some((c) => c.state?.waiting === undefined) === true

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

test(`nothing is left of ${count} random pods (seed ${seed})`, async () => {
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
  for (let i = 0; i < count; i++) {
    const name = `pod-${i}`
    await client.create(pods, randomPod(name))
    alive.push(name)
    // Every other pod comes as far as it can, the others as far as chance lets them.
    if (random.int(2) === 0) await waitFor(() => isSettled(client, name), { timeoutMs: 20_000 }).catch(() => {})
    else await sleep(random.int(1500))
    if (random.int(4) === 0) {
      await agent.kill()
      if (random.int(2) === 0) await remove(alive.shift() ?? '')
      agent.start()
    }
    for (const [kind, items] of Object.entries(leftoversOf(machine))) if (items.length > 0) seen.add(kind)
    while (alive.length > 6 || (alive.length > 0 && random.int(2) === 0)) await remove(alive.shift() ?? '')
  }
  for (const name of alive) await remove(name)
  await waitFor(async () => (await client.list(pods)).items.length === 0, { timeoutMs: 120_000 })
  for (const kind of ALWAYS_SEEN) assert.ok(seen.has(kind), `${kind} can be counted: there were some`)
  const left = () => Object.entries(leftoversOf(machine)).filter(([, items]) => items.length > 0)
  await waitFor(() => left().length === 0, { timeoutMs: 120_000 }).catch(() => {})
  assert.deepEqual(Object.fromEntries(left()), {}, `the agent says: ${readFileSync(path.join(folder, 'agent.log'), 'utf8').slice(-4000)}`)
})

test.after(() => machine[Symbol.asyncDispose]())
