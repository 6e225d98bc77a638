import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import { createController as createDeviceTaintEvictionController } from '../../src/controllers/device-taint-eviction/controller.ts'
import { createCatalogue } from '../../src/controllers/frame/catalogue.ts'
import type { ControllerDeps } from '../../src/controllers/frame/controller.ts'
import { ControllerMetrics } from '../../src/controllers/frame/controller-metrics.ts'
import { InformerSet } from '../../src/controllers/frame/informer-set.ts'
import { objectEvents } from '../../src/controllers/frame/object-events.ts'
import { RecorderSet } from '../../src/controllers/frame/recorder-set.ts'
import { createController as createResourceClaimController } from '../../src/controllers/resource-claim/controller.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { EVENTS, NAMESPACES, NODES, PODS, RESOURCE_CLAIMS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import type { Node, Pod } from '../../src/resources/types/core.ts'
import type { Event } from '../../src/resources/types/events.ts'
import type { Client, Target } from '../../src/sdk/client/client.ts'
import { createInformerFactory } from '../../src/sdk/informer/informer-factory.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { targetOf } from '../scheduler/scheduler-objects.ts'
import { upstream } from '../upstream.ts'

/** The recorded scenarios of devices by claims, with server, scheduler and the claim controller. */
const file = path.join(upstream, 'scheduler', 'dra.json')
const notYet = new Set(
  readFileSync(path.join(import.meta.dirname, 'dra-not-yet.txt'), 'utf8')
    .split('\n')
    .map((line) => line.split('#')[0]?.trim() ?? '')
    .filter((line) => line !== ''),
)

interface Look {
  readonly pods?: Readonly<Record<string, JsonObject>>
  readonly claims?: Readonly<Record<string, JsonObject>>
  readonly [more: string]: unknown
}

interface Step {
  /** The name of a pod whose phase is set to `to`. */
  readonly phase?: string
  readonly to?: string
  readonly create?: KubeObject
  /** Paths of objects to delete or to patch. */
  readonly delete?: string
  readonly patch?: string
  readonly body?: JsonObject
}

interface Scenario {
  readonly id: string
  readonly nodes: readonly Node[]
  readonly objects: readonly KubeObject[]
  readonly pods: readonly Pod[]
  readonly claimStatus?: Readonly<Record<string, JsonObject>>
  readonly then?: readonly Step[]
  readonly note?: string
  readonly refused?: boolean
  readonly expect: Look & { readonly after?: readonly (Look & { readonly step: string })[] }
}

const RESOURCES: Readonly<Record<string, string>> = {
  DeviceClass: 'deviceclasses',
  ResourceSlice: 'resourceslices',
  ResourceClaim: 'resourceclaims',
  ResourceClaimTemplate: 'resourceclaimtemplates',
  PriorityClass: 'priorityclasses',
  Namespace: 'namespaces',
  Pod: 'pods',
  Node: 'nodes',
}

function targetFor(object: KubeObject): Target {
  const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion]
  const { namespace } = object.metadata
  return { group: group ?? '', version: version ?? '', resource: RESOURCES[object.kind] ?? '', ...(namespace ? { namespace } : {}) }
}

/** Whether it becomes true within so many checks, 10 ms apart. */
const until = (look: () => Promise<boolean>, tries: number): Promise<boolean> =>
  waitFor(look, { timeoutMs: tries * 10, everyMs: 10 }).catch(() => false)

const pick = (object: JsonObject, ...keys: string[]) =>
  Object.fromEntries(keys.flatMap((k) => (object[k] === undefined ? [] : [[k, object[k]]])))

/** Placeholders of UIDs and generated names. */
interface Placeholders {
  readonly uids: Map<string, string>
  readonly generated: Map<string, string>
}

/** The visible state of pods and claims, in the recording's format. */
async function lookAt(client: Client, { uids, generated }: Placeholders, want: Look): Promise<JsonObject> {
  const [pods, claims, events] = await Promise.all([client.list(PODS), client.list(RESOURCE_CLAIMS), client.list(EVENTS)])
  const text = (value: unknown) => {
    let out = JSON.stringify(value)
    for (const [uid, name] of uids) out = out.replaceAll(uid, `<uid of pod ${name}>`)
    for (const { metadata } of claims.items)
      if (metadata.generateName !== undefined) generated.set(metadata.name ?? '', `${metadata.generateName}<suffix>`)
    for (const [name, shown] of generated) out = out.replaceAll(name, shown)
    out = out.replace(/("(?:uid|shareID)":)"[0-9a-f-]{36}"/g, '$1"<uid>"').replace(/,?"lastTransitionTime":"[^"]*"/g, '')
    return JSON.parse(out.replace(/("(?:allocationTimestamp|deletionTimestamp)":)"[^"]*"/g, '$1"<time>"'))
  }
  const eventsOf = (uid: string) => {
    const seen = new Set<string>()
    const all = events.items
      .filter((e) => e.regarding?.uid === uid)
      .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
      .flatMap((e) => {
        const from = e.reportingController || e.deprecatedSource?.component
        const event = { type: e.type, reason: e.reason, ...(e.action ? { action: e.action } : {}), from, message: e.note }
        const key = JSON.stringify(event)
        return seen.has(key) || !seen.add(key) ? [] : [event]
      })
    return byComponent(all)
  }
  const podLooks: Record<string, unknown> = {}
  for (const p of pods.items) {
    const status = (p.status ?? {}) as JsonObject
    podLooks[p.metadata.name ?? ''] = {
      node: p.spec?.nodeName ?? null,
      phase: status.phase,
      ...(p.metadata.deletionTimestamp === undefined ? {} : { deleting: true }),
      ...(status.nominatedNodeName ? { nominated: status.nominatedNodeName } : {}),
      conditions: ((status.conditions ?? []) as JsonObject[]).map((c) => pick(c, 'type', 'status', 'reason', 'message')),
      ...pick(status, 'resourceClaimStatuses', 'extendedResourceClaimStatus'),
      events: eventsOf(p.metadata.uid ?? ''),
    }
  }
  // A deleted pod is visible by its events only.
  for (const [uid, name] of uids) {
    if (podLooks[name] === undefined && want.pods?.[name] !== undefined) podLooks[name] = { gone: true, events: eventsOf(uid) }
  }
  const claimLooks = Object.fromEntries(
    claims.items.map((c) => {
      const { name = '', generateName } = c.metadata
      const metadata = c.metadata as unknown as JsonObject
      const shownSpec = generateName !== undefined || want.claims?.[name]?.spec !== undefined
      const about = pick(metadata, 'generateName', 'labels', 'annotations', 'ownerReferences', 'finalizers', 'deletionTimestamp')
      return [name, { metadata: about, ...(shownSpec ? { spec: c.spec } : {}), status: c.status ?? {} }]
    }),
  )
  return text({ pods: podLooks, claims: claimLooks })
}

/** Events of the older kind have times in seconds. */
const timeOf = (event: Event) => Date.parse(String(event.eventTime ?? event.deprecatedFirstTimestamp))

/** In order within each component; the order of events within one second is undefined. */
const byComponent = <T extends { readonly from?: unknown }>(events: readonly T[]) =>
  events.toSorted((a, b) => (String(a.from) < String(b.from) ? -1 : String(a.from) > String(b.from) ? 1 : 0))

function wanted({ pods, claims }: Look): Look {
  const looks = Object.entries(pods ?? {}).map(([name, pod]) => [name, { ...pod, events: byComponent((pod.events ?? []) as JsonObject[]) }])
  return JSON.parse(JSON.stringify({ pods: Object.fromEntries(looks), claims: claims ?? {} }))
}

const isEqual = (a: unknown, b: unknown): boolean => {
  try {
    assert.deepEqual(a, b)
    return true
  } catch {
    return false
  }
}

async function run(scenario: Scenario): Promise<void> {
  await using cluster = await startCluster({ parts: ['server', 'scheduler'] })
  const client = cluster.client()
  const stop = new AbortController()
  const deps = { client, clock: systemClock, random: systemRandom(), log: silentLogger }
  const informers = new InformerSet(createInformerFactory(deps))
  const recorders = new RecorderSet(deps)
  const catalogue = createCatalogue({ ...deps, informers })
  const own: ControllerDeps = {
    metrics: new ControllerMetrics(),
    ...deps,
    informers,
    catalogue,
    authority: undefined,
    ca: '',
    events: (c) => objectEvents(recorders.of(c)),
    clientOf: () => client,
  }
  const controllers = [createResourceClaimController(own), createDeviceTaintEvictionController(own)]
  const running = Promise.all([informers.run(stop.signal), recorders.run(stop.signal), ...controllers.map((c) => c.run(stop.signal))])
  try {
    await play(scenario, client)
  } finally {
    stop.abort()
    await running
  }
}

async function play(scenario: Scenario, client: Client): Promise<void> {
  const { expect } = scenario
  const known: Placeholders = { uids: new Map(), generated: new Map() }
  const { uids } = known
  await client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  )
  await client.create(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'admins', labels: { 'resource.kubernetes.io/admin-access': 'true' } },
  })
  await client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'admins' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  )
  for (const node of scenario.nodes) {
    await client.create(NODES, node)
    const target = { ...NODES, name: node.metadata.name ?? '' }
    await client.patch(target, 'merge', { spec: { taints: node.spec?.taints ?? null } })
    await client.patch({ ...target, subresource: 'status' }, 'merge', { status: node.status })
  }
  for (const [i, object] of scenario.objects.entries()) {
    const made = client.create(targetFor(object), object)
    if (scenario.refused !== undefined && i === scenario.objects.length - 1) {
      const error = await made.then(
        () => undefined,
        (e) => e,
      )
      assert.equal(error?.message ?? '', (expect as unknown as { message?: string }).message)
      return
    }
    await made
  }
  for (const [name, status] of Object.entries(scenario.claimStatus ?? {})) {
    const target = { ...RESOURCE_CLAIMS, namespace: 'default', name }
    const claim = await client.get(target)
    const finalizers = ['resource.kubernetes.io/delete-protection']
    const held = await client.update(target, { ...claim, metadata: { ...claim.metadata, finalizers } })
    await client.update({ ...target, subresource: 'status' }, { ...held, status })
  }
  const wants = Object.entries(expect.pods ?? {})
  for (const pod of scenario.pods) {
    const { namespace = 'default', name = '' } = pod.metadata
    const made = await client.create({ ...PODS, namespace }, pod)
    uids.set(made.metadata.uid ?? '', name)
    const want = wants.find(([n]) => n === name)?.[1]
    await until(async () => {
      const now = await client.get({ ...PODS, namespace, name }).catch(() => undefined)
      return Boolean(now?.spec?.nodeName) || (want?.node === null && (now?.status?.conditions ?? []).length > 0)
    }, 60)
  }
  const settle = async (look: Look) => {
    await until(async () => isEqual(await lookAt(client, known, look), wanted(look)), 500)
    assert.deepEqual(await lookAt(client, known, look), wanted(look))
  }
  await settle(expect)
  for (const [i, step] of (scenario.then ?? []).entries()) {
    if (step.phase !== undefined) {
      await client.patch({ ...PODS, namespace: 'default', name: step.phase, subresource: 'status' }, 'merge', {
        status: { phase: step.to },
      })
    } else if (step.create !== undefined) {
      const made = await client.create(targetFor(step.create), step.create)
      if (made.kind === 'Pod') uids.set(made.metadata.uid ?? '', made.metadata.name ?? '')
    } else if (step.delete !== undefined) await client.delete(targetOf(step.delete), { gracePeriodSeconds: 0 })
    else if (step.patch !== undefined) {
      const refused = await client.patch(targetOf(step.patch), 'merge', step.body ?? {}).then(
        () => undefined,
        (error: Error) => error.message,
      )
      assert.equal(refused, (expect.after?.[i] as { refused?: string } | undefined)?.refused)
    }
    const after = expect.after?.[i]
    if (after !== undefined) await settle(after)
  }
}

test('every recorded scenario of devices by claims has the same outcome on a running cluster', async (t) => {
  const only = process.env.ONLY
  for (const scenario of JSON.parse(readFileSync(file, 'utf8')) as Scenario[]) {
    if (only !== undefined && !scenario.id.includes(only)) continue
    if (notYet.has(scenario.id) && process.env.ALL === undefined) continue
    await t.test(scenario.id, () => run(scenario))
  }
})
