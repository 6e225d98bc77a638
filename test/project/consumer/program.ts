/** A program of a user of the package: compiled and run by `test/project/package.test.ts`. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type DevicePlugin, serveDevicePlugin } from 'bowsprit/device-plugin'
import { type DraDriver, serveDraDriver } from 'bowsprit/dra-plugin'
import {
  type AdmissionCall,
  type Client,
  cloneJson,
  createClient,
  createCoreRecorder,
  createInformer,
  createSeriesRecorder,
  createWebhookServer,
  httpsTransport,
  type Informer,
  isStatus,
  type Logger,
  loadKubeconfig,
  loadKubeconfigFile,
  type ObjectMeta,
  objectKey,
  patchStatus,
  referenceTo,
  refs,
  runController,
  runWithLeaderElection,
  StatusError,
  silentLogger,
  systemClock,
  WorkQueue,
} from 'bowsprit/sdk'
import {
  type Cluster,
  type ClusterDeps,
  type ClusterOptions,
  customResourceDefinition,
  deployment,
  faultyTransport,
  pod,
  type Script,
  seededRandom,
  startCluster,
  testCertificate,
  VirtualClock,
  waitFor,
} from 'bowsprit/testing'
import type { ConfigMap } from 'bowsprit/types'
import { type Gadget, gadgetKind, gadgetResource } from './gadget.js'

const IN_DEFAULT = { namespace: 'default' }
const log: Logger = silentLogger

/** A controller: each gadget gets a config map with its size, and a phase. */
async function runGadgets(client: Client, signal: AbortSignal): Promise<void> {
  const gadgets: Informer<Gadget> = createInformer<Gadget>({
    client,
    target: gadgetKind.ref,
    indexers: { color: (g) => [g.spec.color ?? ''] },
  })
  const queue = new WorkQueue()
  const events = createCoreRecorder({ client, component: 'gadgets' })
  gadgets.addHandler({ added: (g) => queue.add(objectKey(g)), updated: (g) => queue.add(objectKey(g)) })
  const reconcile = async (key: string) => {
    const gadget = gadgets.get(key)
    if (gadget === undefined) return
    const metadata: ObjectMeta = { name: gadget.metadata.name ?? '', labels: { made: 'by-gadgets' } }
    const target = { ...refs.CONFIG_MAPS, ...IN_DEFAULT }
    try {
      await client.create(target, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { size: String(gadget.spec.size) } })
      events.record({ regarding: referenceTo(gadget), type: 'Normal', reason: 'Made', message: 'made its config map' })
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error
    }
    await patchStatus<Gadget>(client, { ...gadgetResource, ...IN_DEFAULT, name: metadata.name ?? '' }, 'merge', {
      status: { phase: 'Made' },
    })
  }
  const lead = async (term: AbortSignal) => {
    await Promise.all([
      gadgets.run(term),
      events.run(term),
      runController({ name: 'gadgets', queue, ready: [gadgets.synced], reconcile, log }, term),
    ])
  }
  await runWithLeaderElection({ client, lease: { ...IN_DEFAULT, name: 'gadgets' }, identity: 'one', lead }, signal)
}

async function controllerOverHttps(): Promise<void> {
  const options: ClusterOptions = { parts: ['server'] }
  await using cluster: Cluster = await startCluster(options)
  await cluster.listen()
  await using transport = httpsTransport(await loadKubeconfig(cluster.kubeconfig()))
  const client = createClient(transport)
  await client.create(refs.CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition({ group: 'example.com', kind: 'Gadget' }))
  const stop = new AbortController()
  const running = runGadgets(client, stop.signal)
  const gadget: Gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 3, color: 'red' } }
  await waitFor(() => client.create({ ...gadgetResource, ...IN_DEFAULT }, gadget), { what: 'the definition' })
  const made = await waitFor(() => client.get({ ...refs.CONFIG_MAPS, ...IN_DEFAULT, name: 'g' }), { what: 'the config map' })
  assert.equal(made.data?.size, '3')
  const done = await waitFor(async () => {
    const found = await client.get<Gadget>({ ...gadgetResource, ...IN_DEFAULT, name: 'g' })
    return found.status?.phase === 'Made' && found
  })
  const changed = cloneJson(done)
  assert.deepEqual(changed, done)
  await assert.rejects(client.get({ ...gadgetResource, ...IN_DEFAULT, name: 'none' }), (e) => e instanceof StatusError && e.code === 404)
  stop.abort()
  await running
}

async function hourInAMoment(): Promise<void> {
  const clock = new VirtualClock()
  const script: Script = {
    container: () => ({ runMs: 1000, exitCode: 7, logs: ['hello'] }),
    image: () => ({ kind: 'found', sizeBytes: 1 }),
  }
  const deps: ClusterDeps = { clock, random: seededRandom(7), script }
  await using cluster = await startCluster({ nodes: 2 }, deps)
  const transport = faultyTransport(cluster.transport(), { clock })
  transport.add({ when: (call) => call.verb === 'create', times: 1, outcome: 'fail' })
  const client = createClient(transport)
  const target = { ...refs.PODS, ...IN_DEFAULT }
  await waitFor(() => client.create(target, pod('crash')), { clock, what: 'the pod' })
  // As in a kubelet, the logs of the previous attempt are kept until the next one ends.
  const runsAgain = async () => {
    const found = await client.get({ ...target, name: 'crash' })
    const { restartCount = 0, state } = found.status?.containerStatuses?.[0] ?? {}
    return restartCount > 3 && state?.running !== undefined
  }
  await waitFor(runsAgain, { clock, timeoutMs: 3_600_000, everyMs: 500 })
  let text = ''
  for await (const chunk of await client.logs({ ...IN_DEFAULT, name: 'crash' }, { previous: true })) text += Buffer.from(chunk).toString()
  assert.match(text, /hello/)
  await client.create({ ...refs.DEPLOYMENTS, ...IN_DEFAULT }, deployment('web', { replicas: 2 }))
  await waitFor(async () => (await client.get({ ...refs.DEPLOYMENTS, ...IN_DEFAULT, name: 'web' })).status?.replicas === 2, { clock })
}

async function webhook(): Promise<void> {
  await using cluster = await startCluster({ parts: ['server'] })
  const { cert, key, ca } = testCertificate()
  await using server = createWebhookServer({
    tls: { cert, key },
    paths: {
      '/no-red': { validate: ({ object }: AdmissionCall<ConfigMap>) => (object?.data?.color === 'red' ? 'red is taken' : undefined) },
    },
  })
  const clientConfig = { url: `${await server.listen(0)}/no-red`, caBundle: Buffer.from(ca).toString('base64') }
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }]
  const hook = { name: 'colors.example.com', clientConfig, rules, admissionReviewVersions: ['v1'], sideEffects: 'None' }
  const client = cluster.client()
  await client.create(
    { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingwebhookconfigurations' },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'colors' },
      webhooks: [hook],
    },
  )
  const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { color: 'red' } }
  await assert.rejects(client.create({ ...refs.CONFIG_MAPS, ...IN_DEFAULT }, map), /red is taken/)
}

/** A plugin and a driver on the node of a test. */
async function devices(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'devices-'))
  await using cluster = await startCluster({ devicePluginDir: folder })
  const client = cluster.client()
  const dongles: DevicePlugin = { resource: 'example.com/dongle', discover: () => [{ id: 'red' }] }
  await using plugin = await serveDevicePlugin(dongles, { folder: path.join(folder, 'device-plugins') })
  const lamps: DraDriver = { name: 'lamps.example.com', discover: () => [{ name: 'lamp-0', attributes: { colour: 'red' } }] }
  await using driver = await serveDraDriver(lamps, { client, nodeName: 'node-1', folder })
  await Promise.all([plugin.registered, driver.registered, driver.published])
  const [slice] = (await client.list(refs.RESOURCE_SLICES)).items
  assert.equal(slice?.spec.devices?.[0]?.attributes?.colour?.string, 'red')
  rmSync(folder, { recursive: true, force: true })
}

/** The cluster that the package's command has started. */
async function ofTheCommand(kubeconfig: string): Promise<void> {
  await using transport = httpsTransport(await loadKubeconfigFile(kubeconfig))
  const client = createClient(transport)
  const events = createSeriesRecorder({ client, component: 'program' })
  const stop = new AbortController()
  const running = events.run(stop.signal)
  await waitFor(() => client.create({ ...refs.PODS, ...IN_DEFAULT }, pod('web')), { what: 'the pod' })
  const web = await waitFor(async () => {
    const found = await client.get({ ...refs.PODS, ...IN_DEFAULT, name: 'web' })
    return found.status?.phase === 'Running' && found
  })
  // The scheduler of the package, with a module that imports the package.
  const custom = pod('custom')
  await client.create({ ...refs.PODS, ...IN_DEFAULT }, { ...custom, spec: { ...custom.spec, schedulerName: 'first-free' } })
  await waitFor(async () => (await client.get({ ...refs.PODS, ...IN_DEFAULT, name: 'custom' })).spec.nodeName, {
    what: 'the node of custom',
  })
  events.record({ regarding: referenceTo(web), type: 'Normal', reason: 'Seen', message: 'it runs' })
  await events.flush()
  stop.abort()
  await running
}

const [kubeconfig] = process.argv.slice(2)
const began = systemClock.monotonic()
await controllerOverHttps()
await devices()
await hourInAMoment()
await webhook()
if (kubeconfig !== undefined) await ofTheCommand(kubeconfig)
const { version } = JSON.parse(readFileSync(new URL('../node_modules/bowsprit/package.json', import.meta.url), 'utf8'))
console.log(`bowsprit ${version} on Node ${process.version}: all done in ${Math.round(systemClock.monotonic() - began)} ms`)
