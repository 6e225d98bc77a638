/** Plays recordings of CSI drivers in namespaces of their own: `scripts/csi-stories.ts` starts this file there. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/logger.ts'
import { systemRandom } from '../../../src/base/random.ts'
import { nodeUser } from '../../../src/cluster/users.ts'
import { createCsiControllers } from '../../../src/controllers/all/controller-set.ts'
import { openDriverClient } from '../../../src/controllers/csi/driver-client.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { CORE_EVENTS, CSI_DRIVERS, CSI_NODES, PERSISTENT_VOLUME_CLAIMS, PODS, STORAGE_CLASSES } from '../../../src/resources/refs.ts'
import { connectUnix } from '../../../src/sdk/grpc/connect-unix.ts'
import { answer, serveUnix } from '../../../src/sdk/grpc/serve-unix.ts'
import { PLUGIN_REGISTRATION } from '../../../src/sdk/node-api/plugin-registration.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import { folderDriver } from '../csi/folder-driver.ts'
import { findRuntime } from '../found-runtime.ts'
import { openMachine } from '../machine.ts'
import { isReady } from '../real-pods.ts'
import { startAgent } from '../start-agent.ts'
import { scrub } from '../stories/scrub.ts'
import { type DriverCall, type Fault, recordedServices, takeFault } from './recorded-driver.ts'

interface Step {
  readonly do: string
  readonly what?: string
  readonly kind?: string
  readonly name?: string
  readonly seconds?: number
  readonly object?: KubeObject
  readonly patch?: object
  readonly faults?: Readonly<Record<string, Fault>>
}

interface RecordedEvent {
  readonly of: string
  readonly type: string
  readonly reason: string
  readonly message: string
}

interface CsiStory {
  readonly story: number | string
  readonly objects: readonly KubeObject[]
  readonly steps: readonly Step[]
  readonly calls: readonly { readonly call: string; readonly request: object; readonly error?: { code: string; message: string } }[]
  readonly events: readonly RecordedEvent[]
}

const [folder = '', recordings = '', report = '', ...names] = process.argv.slice(2)
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const DRIVER = 'hostpath.csi.k8s.io'
const place = { namespace: 'default' }
await using machine = await openMachine(folder, found)
await using cluster = await startCluster({ nodes: 0 })
const client = cluster.client()
const REFS = { Pod: PODS, PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIMS, StorageClass: STORAGE_CLASSES }
const refOf = (kind = '') => {
  const ref = Object.entries(REFS).find(([name]) => name === kind)?.[1]
  if (ref === undefined) throw new Error(`stories have no ${kind}`)
  return { ...ref, ...(kind !== 'StorageClass' && place) }
}

const calls: DriverCall[] = []
let faults = new Map<string, Fault>()
const sockets = path.join('/var/lib/kubelet/plugins/csi-hostpath')
const registry = '/var/lib/kubelet/plugins_registry'
for (const at of [sockets, registry]) mkdirSync(at, { recursive: true })
const socket = path.join(sockets, 'csi.sock')
const driver = folderDriver({ name: DRIVER, root: path.join(folder, 'volumes'), nodeId: 'node-2' })
/** The recorded driver is behind a proxy, which answers so while the driver does not run. */
const AWAY: Fault = { code: 14, message: 'connection error' }
let away = false
const running = new Map<string, AsyncDisposable>()
const info = { type: 'CSIPlugin', name: DRIVER, endpoint: socket, supportedVersions: ['1.0.0'] }

const open: Readonly<Record<string, () => Promise<AsyncDisposable>>> = {
  driver: () =>
    serveUnix(
      socket,
      recordedServices(driver, calls, (name) => (away ? AWAY : takeFault(faults, name))),
      { clock: systemClock },
    ),
  registrar: () =>
    serveUnix(
      path.join(registry, `${DRIVER}-reg.sock`),
      [answer(PLUGIN_REGISTRATION.getInfo, () => info), answer(PLUGIN_REGISTRATION.notifyRegistrationStatus, () => ({}))],
      { clock: systemClock },
    ),
  kubelet: async () =>
    startAgent({
      machine,
      folder,
      client: cluster.client(nodeUser('node-2')),
      networkClient: client,
      name: 'node-2',
      ips: ['192.0.2.11'],
      settings: { clusterDNS: ['10.0.0.10'] },
    }),
}

async function start(what: string): Promise<void> {
  const made = await open[what]?.()
  if (made !== undefined) running.set(what, made)
}

async function stop(what: string): Promise<void> {
  await running.get(what)?.[Symbol.asyncDispose]()
  running.delete(what)
}

await client.create(CSI_DRIVERS, {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: DRIVER },
  spec: { attachRequired: true, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'], fsGroupPolicy: 'File' },
})
for (const what of ['driver', 'registrar', 'kubelet']) await start(what)
await until(async () => (await client.list(CSI_NODES)).items.some(({ spec }) => spec.drivers?.length === 1), 30)
const connection = await connectUnix(socket, { clock: systemClock })
const controllers = new AbortController()
const driverClient = await openDriverClient(connection, systemClock.now(), controllers.signal)
void createCsiControllers(driverClient, { client, clock: systemClock, random: systemRandom(), log: silentLogger }).run(controllers.signal)

const withApi = (object: KubeObject): KubeObject => ({
  ...object,
  apiVersion: object.kind === 'StorageClass' ? 'storage.k8s.io/v1' : 'v1',
})

async function carryOut(step: Step): Promise<void> {
  const { name = '', what = '', kind = 'Pod', seconds = 0 } = step
  switch (step.do) {
    case 'wait':
      return sleep(seconds * 1000)
    case 'make':
      if (step.object !== undefined) await client.create(refOf(step.object.kind), withApi(step.object) as never)
      return
    case 'delete':
      await client.delete({ ...refOf(kind), name })
      return
    case 'force':
      await client.delete({ ...PODS, ...place, name }, { gracePeriodSeconds: 0 })
      return
    case 'change':
      await client.patch({ ...refOf(kind), name }, 'merge', step.patch as never)
      return
    case 'faults':
      faults = new Map(Object.entries(step.faults ?? {}))
      return
    case 'until':
      return until(async () => {
        const pod = await client.get({ ...PODS, ...place, name }).catch(() => undefined)
        return what === 'gone' ? pod === undefined : isReady(pod)
      }, seconds)
    case 'kubelet':
      return what === 'stop' ? stop('kubelet') : start('kubelet')
    case 'stop':
      // A registrar that is killed leaves its socket: the node keeps the driver.
      if (what === 'driver') away = true
      return
    case 'start':
      if (what !== 'driver') return carryOut({ ...step, do: 'restart' })
      away = false
      return
    case 'restart':
      await stop(what)
      return start(what)
    default:
      throw new Error(`unknown step ${step.do}`)
  }
}

async function until(look: () => Promise<boolean>, seconds: number): Promise<void> {
  for (const endMs = Date.now() + seconds * 1000; Date.now() < endMs; await sleep(200)) if (await look()) return
}

/** Pods first, then claims; then all volumes are gone. */
async function cleanUp(): Promise<void> {
  faults = new Map()
  for (const ref of [PODS, PERSISTENT_VOLUME_CLAIMS]) {
    for (const { metadata } of (await client.list({ ...ref, ...place })).items)
      await client.delete({ ...ref, ...place, name: metadata.name ?? '' }).catch(() => {})
    await until(async () => (await client.list({ ...ref, ...place })).items.length === 0, 40)
  }
  await until(async () => readdirSync(path.join(folder, 'volumes')).length === 0, 40).catch(() => {})
  for (const { metadata } of (await client.list(STORAGE_CLASSES)).items)
    await client.delete({ ...STORAGE_CLASSES, name: metadata.name ?? '' })
}

/** Asked as often as one likes, by anybody; the words of the scheduler are another recording's. */
const LEFT_OUT_CALLS = /Get(Capabilities|PluginInfo|PluginCapabilities|VolumeStats)|Probe/
const LEFT_OUT_EVENTS = new Set(['FailedScheduling', 'Scheduled', 'Pulled', 'Created', 'Started', 'Killing', 'ExternalProvisioning'])

async function play(story: CsiStory): Promise<readonly string[]> {
  calls.length = 0
  const seen = new Set((await client.list({ ...CORE_EVENTS, ...place })).items.map((e) => e.metadata.name))
  for (const object of story.objects) await client.create(refOf(object.kind), withApi(object) as never)
  for (const step of story.steps) await carryOut(metBy(step, story))
  const { items } = await client.list({ ...CORE_EVENTS, ...place })
  const made = [...story.objects, ...story.steps.flatMap(({ object }) => object ?? [])].map(({ metadata }) => metadata.name)
  // The recorder asked for those of objects that the story makes itself.
  const events = items
    .filter((e) => !seen.has(e.metadata.name) && made.includes(e.involvedObject.name))
    .map((e) => ({
      of: `${e.involvedObject.kind} ${e.involvedObject.name}`,
      type: e.type ?? '',
      reason: e.reason ?? '',
      message: e.message ?? '',
    }))
  await cleanUp()
  return [...calls.map((c) => callRow(c.call, c.request, c.error)), ...eventRows(events)]
}

/** Faults that the recorded machine was too slow to meet are not played: no call of theirs failed. */
function metBy(step: Step, { calls: recorded }: CsiStory): Step {
  if (step.faults === undefined) return step
  const isMet = ([call, fault]: [string, Fault]) => fault.code === 0 || recorded.some((c) => c.call === call && c.error !== undefined)
  return { ...step, faults: Object.fromEntries(Object.entries(step.faults).filter(isMet)) }
}

const eventRows = (events: readonly RecordedEvent[]) =>
  events
    .filter(({ reason }) => !LEFT_OUT_EVENTS.has(reason))
    .map(({ of, type, reason, message }) => row(['event', of, type, reason, message]))

/** The fields that both kinds of driver have; ids are those of the driver that was asked. */
const KEYS = ['targetPath', 'stagingTargetPath', 'volumePath', 'readonly', 'nodeId', 'requiredBytes', 'limitBytes']

function callRow(call: string, request: unknown, error: { code: string; message: string } | undefined): string {
  const fields: Record<string, unknown> = {}
  const visit = (value: unknown, key: string): void => {
    const name = key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    if (KEYS.includes(name) && value !== '' && value !== false && value !== 0 && value !== '0') fields[name] = String(value)
    if (name === 'volumeContext' || name === 'parameters') fields[name] = contextOf(value)
    else if (typeof value === 'object' && value !== null && !(value instanceof Map)) for (const [k, v] of Object.entries(value)) visit(v, k)
  }
  visit(request, '')
  const sorted = Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return row([call, sorted, error?.code, error?.message.replace(/^connection error.*$/, 'connection error')])
}

const contextOf = (value: unknown) =>
  (value instanceof Map ? [...value] : Object.entries(value ?? {}))
    .filter(([key]) => key !== 'storage.kubernetes.io/csiProvisionerIdentity')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

const row = (value: unknown) => JSON.stringify(scrub(value))

/** Calls of stories before, or that differ in their number alone, do not count. */
const recordedRows = ({ calls: recorded, events }: CsiStory) => [
  ...recorded
    .filter((c) => (c as { at?: number }).at === undefined || ((c as { at?: number }).at ?? 0) >= 0)
    .map((c) => callRow(c.call, c.request, c.error)),
  ...eventRows(events),
]

const total = { same: 0, of: 0 }
const lines: string[] = []
for (const file of readdirSync(recordings).filter((name) => name.endsWith('.json'))) {
  const title = file.replace('.json', '')
  if (names.length > 0 && !names.includes(title)) continue
  const story: CsiStory = JSON.parse(readFileSync(path.join(recordings, file), 'utf8'))
  const kept = (rows: readonly string[]) => new Set(rows.filter((r) => !LEFT_OUT_CALLS.test(JSON.parse(r)[0])))
  const [wanted, got] = [kept(recordedRows(story)), kept(await play(story))]
  const [missing, left] = [[...wanted].filter((r) => !got.has(r)), [...got].filter((r) => !wanted.has(r))]
  const same = wanted.size - missing.length
  const of = same + Math.max(missing.length, left.length)
  total.same += same
  total.of += of
  console.log(`${title}: ${same}/${of}`)
  lines.push(`# ${title}: ${same}/${of}`, ...missing.map((r) => `- ${r}`), ...left.map((r) => `+ ${r}`))
  writeFileSync(report, `${lines.join('\n')}\n`)
}
console.log(`all: ${total.same}/${total.of}`)
// The runtime goes with this process.
process.exit(0)
