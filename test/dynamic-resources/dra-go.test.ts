/**
 * The kubelet plugin of Kubernetes' example driver (`sigs.k8s.io/dra-example-driver`), built from its unmodified module, with its
 * unmodified examples, if Go is installed.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import { deviceFolders, podResourcesSocket } from '../../src/node/plugins/device-folders.ts'
import { PODS, RESOURCE_CLAIMS, RESOURCE_SLICES, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import { connectUnix } from '../../src/sdk/grpc/connect-unix.ts'
import { POD_RESOURCES } from '../../src/sdk/node-api/pod-resources.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { goPrograms, runGo } from '../go-program.ts'

const DRIVER = 'gpu.example.com'
const RESOURCES: Readonly<Record<string, readonly [group: string, resource: string]>> = {
  Namespace: ['', 'namespaces'],
  Pod: ['', 'pods'],
  ResourceClaim: ['resource.k8s.io', 'resourceclaims'],
  ResourceClaimTemplate: ['resource.k8s.io', 'resourceclaimtemplates'],
}

test("Kubernetes' example driver works with a node as with a kubelet, and so do its examples", { timeout: 590_000 }, async (t) => {
  const built = await build()
  if ('why' in built) return t.skip(built.why)
  await using at = await open(t, built)
  await at.start(['--num-devices', '30'])
  const examples = [
    ['basic-resourceclaimtemplate', { 'pod0/ctr0': 1, 'pod1/ctr0': 1 }],
    ['basic-multiple-requests', { 'pod0/ctr0': 2 }],
    ['basic-shared-claim-across-containers', { 'pod0/ctr0': 1, 'pod0/ctr1': 1 }],
    ['basic-shared-claim-across-pods', { 'pod0/ctr0': 1, 'pod1/ctr0': 1 }],
    // As in the kubelet, PodResources lists whole claims, whichever of their requests a container uses.
    ['basic-resourceclaim-opaque-config', { 'pod0/ts-ctr0': 2, 'pod0/ts-ctr1': 2, 'pod0/sp-ctr0': 2, 'pod0/sp-ctr1': 2 }],
    ['cel-selector', { 'pod0/ctr0': 1 }],
    ['prioritized-alternatives', { 'pod0/ctr0': 1, 'pod1/ctr0': 1 }],
    ['extended-resource-request', { 'pod0/ctr0': 1, 'pod1/ctr0': 1 }],
    ['admin-access', { 'pod0/ctr0': 30 }],
  ] as const
  for (const [name, devices] of examples) {
    await at.apply(name)
    await at.until(`the pods of ${name} run`, () => at.run(name))
    assert.deepEqual(await at.held(name), devices, name)
  }
  const specs = readdirSync(at.cdi).filter((f) => !f.includes('common'))
  assert.ok(specs.length >= 10, String(specs))

  // The driver is updated while pods run; the new one takes over their devices.
  await at.stop()
  await at.start(['--num-devices', '30'])
  for (const [name] of examples) await at.delete(name)
  await at.until('all is given back', () => readdirSync(at.cdi).every((f) => f.includes('common')))
})

test('shared devices of the example driver have their share ids in the status', { timeout: 590_000 }, async (t) => {
  const built = await build()
  if ('why' in built) return t.skip(built.why)
  await using at = await open(t, built)
  await at.start(['--num-devices', '2', '--gpu-allow-multiple-allocations'])
  const name = 'gpu-allow-multiple-allocations'
  await at.apply(name)
  await at.until('its pods run', () => at.run(name))
  const reported = (await at.podResources()).flatMap((p) =>
    p.containers.flatMap((c) => c.dynamicResources.flatMap((d) => d.claimResources)),
  )
  const claims = (await at.client.list({ ...RESOURCE_CLAIMS, namespace: name })).items
  const ids = claims.map((c) => String(c.status?.allocation?.devices?.results?.[0]?.shareID))
  assert.equal(new Set(reported.map((d) => d.deviceName)).size, 1)
  assert.deepEqual(reported.map((d) => d.shareId).sort(), ids.sort())
})

interface Built {
  readonly program: string
  readonly examples: string
}

async function open(t: TestContext, { program, examples }: Built) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dra-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const folders = deviceFolders(path.join(folder, 'kubelet'))
  const cdi = path.join(folder, 'cdi')
  mkdirSync(cdi)
  const cluster = await startCluster({ devicePluginDir: path.join(folder, 'kubelet'), port: 0 })
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const client = cluster.client()
  const spec = { selectors: [{ cel: { expression: `device.driver == '${DRIVER}'` } }], extendedResourceName: 'example.com/gpu' }
  const classes = { group: 'resource.k8s.io', version: 'v1', resource: 'deviceclasses' }
  await client.create(classes, { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: DRIVER }, spec })
  let running: ReturnType<typeof spawn> | undefined
  let said = ''
  const pods = async (namespace: string) => (await client.list({ ...PODS, namespace })).items
  const until = async (what: string, holds: () => Promise<boolean> | boolean) => {
    const endMs = systemClock.monotonic() + 60_000
    while (!(await holds())) {
      if (systemClock.monotonic() > endMs) throw new Error(`waited in vain: ${what}\n${said.slice(-3000)}`)
      await systemClock.sleep(20)
    }
  }
  const podResources = async () => {
    using connection = await connectUnix(podResourcesSocket(folders), { clock: systemClock })
    return (await connection.call(POD_RESOURCES.list, {}, { signal: new AbortController().signal, timeoutMs: 5000 })).podResources
  }
  return {
    client,
    cdi,
    until,
    podResources,
    async start(args: readonly string[]) {
      const own = [
        '--kubeconfig',
        kubeconfig,
        '--node-name',
        'node-1',
        '--cdi-root',
        cdi,
        '--kubelet-registrar-directory-path',
        folders.registry,
      ]
      running = spawn(program, [...own, '--kubelet-plugins-directory-path', path.join(folder, 'kubelet', 'plugins'), ...args], {
        env: { ...process.env, KUBECONFIG: kubeconfig },
      })
      for (const stream of [running.stdout, running.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => {
          said = (said + text).slice(-20_000)
        })
      await until('the driver has published', async () => {
        assert.equal(running?.exitCode, null, said)
        return (await client.list(RESOURCE_SLICES)).items.some((s) => s.spec?.nodeName === 'node-1')
      })
    },
    async stop() {
      const ended = new Promise((resolve) => running?.on('exit', resolve))
      running?.kill('SIGTERM')
      await ended
    },
    async apply(example: string) {
      const file = path.join(examples, example, `${example}.yaml`)
      const objects = readFileSync(file, 'utf8')
        .split(/^---$/m)
        .filter((text) => /^kind:/m.test(text))
        .map((text) => decodeYaml(text).value as unknown as KubeObject)
      for (const object of objects) {
        const [group = '', resource = ''] = RESOURCES[object.kind] ?? []
        const { namespace } = object.metadata
        await client.create({ group, version: 'v1', resource, ...(namespace !== undefined && { namespace }) }, object)
        if (object.kind === 'Namespace') {
          const account = { ...SERVICE_ACCOUNTS, namespace: object.metadata.name ?? '', name: 'default' }
          await until('the namespace has its account', () =>
            client.get(account).then(
              () => true,
              () => false,
            ),
          )
        }
      }
    },
    run: async (namespace: string) => (await pods(namespace)).every((p) => p.status?.phase === 'Running'),
    /** The number of devices of each container, by PodResources. */
    async held(namespace: string): Promise<Record<string, number>> {
      const counts = (await podResources())
        .filter((p) => p.namespace === namespace)
        .flatMap((p) =>
          p.containers.map((c): [string, number] => [`${p.name}/${c.name}`, c.dynamicResources.flatMap((d) => d.claimResources).length]),
        )
      return Object.fromEntries(counts)
    },
    async delete(namespace: string) {
      for (const pod of await pods(namespace))
        await client.delete({ ...PODS, namespace, name: pod.metadata.name ?? '' }, { gracePeriodSeconds: 1 })
    },
    async [Symbol.asyncDispose]() {
      running?.kill('SIGKILL')
      await cluster[Symbol.asyncDispose]()
    },
  }
}

async function build(): Promise<Built | { readonly why: string }> {
  const { bin, why } = await goPrograms('dra')
  if (why !== undefined) return { why }
  const { out } = await runGo('dra', ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/dra-example-driver'])
  const examples = path.join(out.trim(), 'demo', 'examples')
  assert.ok(existsSync(examples))
  return { program: path.join(bin, 'dra-example-kubeletplugin'), examples }
}
