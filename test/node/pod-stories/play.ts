import { VirtualClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/logger.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { equalJson } from '../../../src/machinery/equal.ts'
import { ignoring } from '../../../src/machinery/ignoring.ts'
import type { JsonObject, KubeObject } from '../../../src/machinery/object.ts'
import { NodeAgent } from '../../../src/node/agent.ts'
import { createSharedFeed } from '../../../src/node/feed.ts'
import { createSimulatedHost } from '../../../src/node/host/simulated-host.ts'
import { DEFAULT_MACHINE } from '../../../src/node/status/node-object.ts'
import { CORE_EVENTS, NODES, PODS } from '../../../src/resources/refs.ts'
import type { Client, PatchType, Target } from '../../../src/sdk/client/client.ts'
import { createInformerFactory } from '../../../src/sdk/informer/informer-factory.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import { type Manifests, manifestPod, openManifests } from './manifests.ts'
import { createScriptedRuntime, type ScriptedRuntime } from './scripted-runtime.ts'
import type { Call, ReportedEvent, ReportedStatus, RuntimeScript, Step, Story } from './story.ts'
import { configurationsOf, restartSteps, storyEviction, type Written } from './story-kubelet.ts'

/** The agent's actions in a story. */
export interface Played {
  readonly statuses: readonly ReportedStatus[]
  readonly events: readonly ReportedEvent[]
  readonly calls: readonly Call[]
}

/** A story needs a feature that this agent does not have. */
export class NotPlayable extends Error {
  override readonly name = 'NotPlayable'
  readonly code = 'not-playable'
}

/** The machine on which the stories were recorded. */
const HOST = {
  appArmor: false,
  lacksFileSystems: ['nfs'],
  csiDrivers: [],
  resolver: { servers: ['192.0.2.53'], searches: ['example.test'], options: ['edns0'] },
  clusterDns: ['10.0.0.10'],
}

const IDENTITY = {
  name: 'node-1',
  ip: '192.0.2.10',
  machine: { ...DEFAULT_MACHINE, cpu: '2', memory: '32Gi', pods: '250' },
  ids: { machineId: 'machine', bootId: 'boot' },
}

/** Plays a story with an agent over its scripted runtime and an API server in this process, in virtual time. */
export async function play(story: Story): Promise<Played> {
  const pod = story.pod ?? manifestPod(story)
  if (pod === undefined) throw new NotPlayable('a story of the node')
  const clock = new VirtualClock(Date.UTC(2026, 0, 1, 0, 0, 0, 400))
  const random = seededRandom(7)
  const parts = changesTaints(story) ? (['server', 'nodes', 'controllers'] as const) : (['server', 'nodes'] as const)
  await using cluster = await startCluster({ parts: [...parts], nodes: 0 }, { clock, random })
  const client = cluster.client()
  await using manifests = openManifests(story)
  const stage = openStage(story, pod.metadata, { client, clock, random, manifests })
  const { scripted } = stage
  await prepare(stage)
  await startAgent(stage, { client, random })
  await taintAtFirst(stage)
  await clock.advance(1000)
  scripted.calls.length = 0
  const startMs = clock.now()
  const statuses: ReportedStatus[] = []
  const namespace = String(pod.metadata.namespace ?? 'default')
  const watching = new AbortController()
  const watch = collect(client, statuses, { clock, startMs, name: pod.metadata.name, namespace, signal: watching.signal })
  try {
    for (const step of inOrder([...story.steps, ...restartSteps(story)])) {
      const waitMs = startMs + step.at * 1000 - clock.now()
      if (waitMs > 0) await clock.advance(waitMs)
      await act(stage, step, random)
      await clock.settle()
    }
    await clock.advance(Math.max(0, startMs + (story.seconds ?? 10) * 1000 - clock.now()))
    const reported = async () => {
      const { items } = await client.list({ ...CORE_EVENTS, namespace })
      return items.filter((e) => e.involvedObject?.name === pod.metadata.name).map(eventOf)
    }
    const inTime = { events: await reported(), calls: scripted.calls.length }
    // Some of the end of the story may be in its last second.
    await clock.advance(LATE_MS)
    const events = await reported()
    return {
      statuses,
      events: events.map((e) => (inTime.events.some((other) => equalJson(e, other)) ? e : { ...e, late: true as const })),
      calls: scripted.calls.map((c, i) => (i < inTime.calls ? c : { ...c, late: true as const })).filter((c) => c.of === undefined),
    }
  } finally {
    watching.abort()
    stage.agent?.stop.abort()
    await Promise.all([watch, stage.agent?.done, clock.advance(10)])
  }
}

/** What is reported or called after the end of a story may be told, but need not. */
const LATE_MS = 1500

/** Taints of the story's node, first to last; null: they are removed. */
const taintsOf = ({ steps }: Story) =>
  steps.flatMap(({ do: what, patch }) => {
    const { taints, ...others } = (patch?.spec ?? {}) as { readonly taints?: readonly JsonObject[] | null }
    // The taint of a cordon comes and goes with `unschedulable`.
    return what === 'node' && taints !== undefined && Object.keys(others).length === 0 ? [taints] : []
  })

/** Pods that do not tolerate a taint with NoExecute are deleted by a controller. */
const changesTaints = (story: Story) => taintsOf(story).length > 0

/** The taint of a node whose first step removes it: the recording does not say which it was. */
async function taintAtFirst({ client, story }: Stage): Promise<void> {
  if (taintsOf(story)[0] !== null) return
  const spec = { taints: [{ key: 'out', value: 'v', effect: 'NoExecute' }] }
  await client.patch({ ...NODES, name: 'node-1' }, 'merge', { spec })
}

export interface StageDeps {
  readonly client: Client
  readonly clock: VirtualClock
  readonly random: ReturnType<typeof seededRandom>
  readonly manifests: Manifests
}

/** The cluster of a story, before its objects are created. */
export function openStage(story: Story, pod: { readonly name: string; readonly namespace?: unknown }, deps: StageDeps): Stage {
  const { clock, random, client, manifests } = deps
  const { first } = configurationsOf(story)
  const { maxPods = 250 } = first
  return {
    client,
    clock,
    scripted: createScriptedRuntime(withImagesOfOthers(story), pod.name, { clock, random }),
    story,
    manifests,
    name: pod.name,
    namespace: String(pod.namespace ?? 'default'),
    agent: undefined,
    maxPods: String(maxPods),
    configuration: first,
    written: { usage: {}, volumes: new Map() },
  }
}

/** Faults of the runtime come before other steps at the same time: the real kubelet took a while to react. */
const inOrder = (steps: readonly Step[]) =>
  [...steps].sort((a, b) => a.at - b.at || Number(b.do === 'runtime') - Number(a.do === 'runtime'))

export interface Stage {
  readonly client: Client
  readonly clock: VirtualClock
  readonly scripted: ScriptedRuntime
  readonly story: Story
  readonly maxPods: string
  readonly written: Written
  /** The kubelet's configuration. */
  configuration: JsonObject
  readonly manifests: Manifests
  /** The pod of the story. */
  readonly name: string
  readonly namespace: string
  agent: { readonly stop: AbortController; readonly done: Promise<unknown> } | undefined
}

/** Other pods on the node, if a story depends on them: their requests, and when they ended. */
const OTHERS: Readonly<Record<string, { readonly cpu: string; readonly untilS: number }>> = {
  'resize-deferred': { cpu: '1500m', untilS: 14 },
  'preempted-burstable': { cpu: '900m', untilS: 60 },
  'preempted-other': { cpu: '800m', untilS: 60 },
}

/** The script of the runtime, with the images that an earlier story had pulled. */
function withImagesOfOthers({ runtime = {}, events, calls = [] }: Story): RuntimeScript {
  const found = events.flatMap((e) => /^Container image "(.*)" already present/.exec(e.message)?.[1] ?? [])
  const pulled = (image: string) =>
    calls.some(({ call, arg }) => call === 'PullImage' && [image, `${image}:latest`].includes(String(arg?.image)))
  const images = Object.fromEntries(found.filter((image) => !pulled(image)).map((image) => [image, { present: true }]))
  return { ...runtime, images: { ...images, ...runtime.images } }
}

/** Creates everything that existed before the pod. */
async function prepare({ client, story, clock }: Stage): Promise<void> {
  await openNamespace(client, 'default')
  const namespaces = new Set([story.pod, ...(story.objects ?? [])].map((o) => (o?.metadata as JsonObject | undefined)?.namespace))
  for (const namespace of namespaces) if (typeof namespace === 'string') await openNamespace(client, namespace)
  const priority = story.pod?.spec.priorityClassName
  const own = story.objects?.some((o) => o.kind === 'PriorityClass')
  if (typeof priority === 'string' && !priority.startsWith('system-') && !own)
    await create(client, { kind: 'PriorityClass', metadata: { name: priority }, value: -10 }).catch(() => {})
  for (const object of story.objects ?? []) await create(client, object)
  for (const object of story.objects ?? []) await bind(client, object)
  const other = OTHERS[story.story]
  if (other !== undefined) {
    const containers = [{ name: 'main', image: 'app', resources: { requests: { cpu: other.cpu } } }]
    await create(client, { kind: 'Pod', metadata: { name: 'other' }, spec: { nodeName: 'node-1', containers } })
    clock.after(
      other.untilS * 1000 + 1000,
      () => void client.delete({ ...PODS, namespace: 'default', name: 'other' }, { gracePeriodSeconds: 1 }),
    )
  }
  // The last of several pods does not fit on the node: those before it run.
  const before = story.kubeletConfiguration?.maxPods === undefined ? 0 : Number(/-(\d+)$/.exec(story.story)?.[1] ?? 1) - 1
  for (let i = 0; i < before; i++) await create(client, { kind: 'Pod', metadata: { name: `before-${i}` }, spec: story.pod?.spec ?? {} })
}

/** Binds a claim to the volume that it names, as the volume controller would. */
async function bind(client: Client, object: JsonObject): Promise<void> {
  const { kind, metadata, spec } = object as { kind: string; metadata: { name: string }; spec?: { volumeName?: string } }
  if (kind !== 'PersistentVolumeClaim' || spec?.volumeName === undefined) return
  const target = kindTarget(kind, 'default', metadata.name)
  const claim = await client.patch({ ...target, subresource: 'status' }, 'merge', { status: { phase: 'Bound' } })
  const claimRef = { kind, namespace: 'default', name: metadata.name, uid: claim.metadata.uid }
  await client.patch(kindTarget('PersistentVolume', '', spec.volumeName), 'merge', { spec: { claimRef } })
}

/** Creates a namespace in which pods can be created. */
async function openNamespace(client: Client, namespace: string): Promise<void> {
  const known = { group: '', version: 'v1' }
  await client
    .create({ ...known, resource: 'namespaces' }, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    .catch(() => {})
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }
  await client.create({ ...known, resource: 'serviceaccounts', namespace }, account).catch(() => {})
  const ca = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt', namespace }, data: { 'ca.crt': 'x' } }
  await client.create({ ...known, resource: 'configmaps', namespace }, ca).catch(() => {})
}

export async function startAgent(
  stage: Stage,
  deps: { readonly client: Client; readonly random: ReturnType<typeof seededRandom> },
): Promise<void> {
  const { clock, scripted, maxPods, manifests } = stage
  const { client, random } = deps
  const stop = new AbortController()
  const feed = createSharedFeed(createInformerFactory({ client, clock, random, log: silentLogger }))
  const machine = { ...IDENTITY.machine, pods: maxPods }
  const eviction = storyEviction(stage.configuration, stage.written, clock)
  const agent = new NodeAgent(
    { ...IDENTITY, machine, runtime: { ...scripted.runtime, supplementalGroupsPolicy: false } },
    {
      client: paced(client, clock),
      feed,
      clock,
      log: silentLogger,
      runtime: scripted.runtime,
      network: scripted.network,
      host: createSimulatedHost(HOST),
      admission: [eviction],
      sources: [eviction],
      parts: [eviction],
      ...manifests.feed(clock),
    },
  )
  await agent.register()
  stage.agent = { stop, done: Promise.all([feed.run(stop.signal), agent.run(stop.signal)]) }
}

/**
 * How long the kubelet of the recordings took, most often, to set up the volumes of a pod, and to see that nothing of an ended pod is left,
 * after which it deletes the object.
 */
const PACE = { volumesMs: 430, removalMs: 900 } as const

/** A client for an agent at that pace: most pods have a token's volume, which shows a ConfigMap. */
const paced = (client: Client, clock: VirtualClock): Client => ({
  ...client,
  async get(target, options) {
    if (target.resource === 'configmaps') await clock.sleep(PACE.volumesMs)
    return client.get(target, options)
  },
  async delete(target, options) {
    if (target.resource === 'pods') await clock.sleep(PACE.removalMs)
    return client.delete(target, options)
  },
})

export async function act(stage: Stage, step: Step, random: ReturnType<typeof seededRandom>): Promise<void> {
  const { client, story, scripted, name, namespace } = stage
  const target: Target = { ...PODS, namespace, name }
  switch (step.do) {
    case 'create the pod':
      await create(client, { apiVersion: 'v1', kind: 'Pod', ...story.pod } as unknown as JsonObject).catch((error) => {
        if (step.answer === undefined) throw error
      })
      return
    case 'delete':
      // It may be gone already, and then the story differs in what comes later.
      await client.delete(target, step.grace === undefined ? {} : { gracePeriodSeconds: step.grace }).catch(ignoring('NotFound'))
      return
    case 'patch': {
      const patch = client.patch(
        { ...target, ...(step.sub && { subresource: step.sub }) },
        (step.type ?? 'strategic') as PatchType,
        step.patch ?? {},
      )
      await patch.catch((error) => {
        if (step.answer === undefined) throw error
      })
      return
    }
    case 'node':
      await client.patch({ ...NODES, name: 'node-1', ...(step.sub && { subresource: step.sub }) }, 'merge', step.patch ?? {})
      return
    case 'exit':
      await scripted.exit(name, {
        ...(step.container !== undefined && { container: step.container }),
        code: step.code ?? 0,
        sandbox: step.sandbox === true,
      })
      return
    case 'script':
      scripted.change(step.patch ?? {})
      return
    case 'create':
      if (step.ns !== undefined) await openNamespace(client, step.ns)
      await create(client, step.object ?? {}, step.ns)
      return
    case 'change':
      await client.patch(kindTarget(step.kind ?? '', 'default', step.name), 'merge', step.patch ?? {})
      return
    case 'remove':
      await client.delete(kindTarget(step.kind ?? '', 'default', step.name))
      return
    case 'kubelet stops':
      stage.agent?.stop.abort()
      await stage.clock.settle()
      return
    case 'kubelet starts':
      stage.configuration = step.set ?? stage.configuration
      await startAgent(stage, { client, random })
      return
    case 'file':
      stage.manifests.write(step.name ?? '', step.text ?? (step.object && JSON.stringify(step.object)))
      return
    case 'runtime':
      setFaults(scripted, step.set ?? {})
      stage.written.usage = (step.set?.usage ?? {}) as Record<string, number>
      return
    case 'write':
      stage.written.volumes.set(step.file?.split('/')[1] ?? '', step.bytes ?? 0)
      return
    default:
      throw new NotPlayable(`step ${step.do}`)
  }
}

function setFaults(scripted: ScriptedRuntime, set: JsonObject): void {
  const errors = set.errors as Readonly<Record<string, string>> | undefined
  scripted.faults = {
    ...(set.ready === false && { notReady: 'RuntimeReady=false reason:Broken message:the fake runtime says it is not ready' }),
    ...(set.networkReady === false && {
      networkNotReady: 'NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
    }),
    ...(errors !== undefined && { errors }),
  }
}

const KINDS: Readonly<
  Record<string, { readonly group: string; readonly version: string; readonly resource: string; readonly global?: true }>
> = {
  Pod: PODS,
  ConfigMap: { group: '', version: 'v1', resource: 'configmaps' },
  Secret: { group: '', version: 'v1', resource: 'secrets' },
  Service: { group: '', version: 'v1', resource: 'services' },
  ServiceAccount: { group: '', version: 'v1', resource: 'serviceaccounts' },
  Namespace: { group: '', version: 'v1', resource: 'namespaces', global: true },
  PersistentVolume: { group: '', version: 'v1', resource: 'persistentvolumes', global: true },
  PersistentVolumeClaim: { group: '', version: 'v1', resource: 'persistentvolumeclaims' },
  PriorityClass: { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses', global: true },
  RuntimeClass: { group: 'node.k8s.io', version: 'v1', resource: 'runtimeclasses', global: true },
  ClusterTrustBundle: { group: 'certificates.k8s.io', version: 'v1beta1', resource: 'clustertrustbundles', global: true },
}

function kindTarget(kind: string, namespace: string, name?: string): Target {
  const ref = KINDS[kind]
  if (ref === undefined) throw new NotPlayable(`objects of kind ${kind}`)
  const { global: everywhere, ...rest } = ref
  return { ...rest, ...(everywhere ? {} : { namespace }), ...(name !== undefined && { name }) }
}

async function create(client: Client, object: JsonObject, ns?: string): Promise<void> {
  const kind = String(object.kind)
  const metadata = object.metadata as JsonObject
  const namespace = String(metadata.namespace ?? ns ?? 'default')
  const target = kindTarget(kind, namespace)
  const apiVersion = target.group === '' ? target.version : `${target.group}/${target.version}`
  const whole = { ...object, apiVersion, metadata: { ...metadata, ...(target.namespace === undefined ? {} : { namespace }) } }
  await client.create(target, whole as unknown as KubeObject).catch((error) => {
    // The namespaces of the story exist already.
    if (kind !== 'Namespace') throw error
  })
}

interface Watching {
  readonly clock: VirtualClock
  readonly startMs: number
  readonly name: string
  readonly namespace: string
  readonly signal: AbortSignal
}

async function collect(client: Client, into: ReportedStatus[], { clock, startMs, name, namespace, signal }: Watching): Promise<void> {
  const options = { fieldSelector: `metadata.name=${name}`, signal }
  try {
    for await (const events of client.watch({ ...PODS, namespace }, options)) {
      for (const { type, object } of events) {
        const { generation, deletionGracePeriodSeconds } = object.metadata
        into.push({
          at: (clock.now() - startMs) / 1000,
          event: type,
          ...(generation !== undefined && { generation }),
          ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
          status: object.status as JsonObject,
        })
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function eventOf(event: KubeObject): ReportedEvent {
  const { type, reason, message, involvedObject } = event as unknown as ReportedEvent & { involvedObject: { fieldPath?: string } }
  return { type, reason, message, ...(involvedObject.fieldPath !== undefined && { fieldPath: involvedObject.fieldPath }) }
}
